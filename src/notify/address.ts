/** Header text on one line, without line ends and unpaired surrogates, which could end or break a header. */
export const oneLine = (text: string): string =>
  Buffer.from(text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' '), 'utf8')
    .toString('utf8')
    .trim();
