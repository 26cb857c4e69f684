/** The folder of the package, with what is shipped beside the program: one up from the sources and from the build alike. */
export const packageRoot = new URL('../', import.meta.url);
