import { InvalidArgumentError, Option } from 'commander';

export const whole = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('it must be a whole number');
  return Number(text);
};

export const port = (text: string): number => {
  if (whole(text) > 65_535) throw new InvalidArgumentError('it must be at most 65535');
  return whole(text);
};

/** Where `tollkeeper sandbox` listens by default. */
export const sandboxPort = 8787;

export const positiveCount = (text: string): number => {
  const count = whole(text);
  if (count < 1 || count > 10_000) throw new InvalidArgumentError('it must be from 1 to 10000');
  return count;
};

export const configOption = (): Option =>
  new Option('-c, --config <folder>', 'folder that contains tollkeeper.yaml and jobs/')
    .env('TOLLKEEPER_CONFIG')
    .default('config');
