import { runKeyChaos } from './support/key-storm.ts';

runKeyChaos((index) => index % 2 === 1);
