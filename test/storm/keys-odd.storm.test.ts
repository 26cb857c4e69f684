import { playKeyStorm } from './support/key-storm.ts';

playKeyStorm((index) => index % 2 === 1);
