import { createHmac } from 'node:crypto';

/**
 * `t=<seconds>,v1=<hex>`: HMAC-SHA256 over `<seconds>.<body>`. The time is signed with the body, so that a receiver can
 * reject old requests and replays.
 */
export const signatureOf = (body: Uint8Array, secret: string, seconds: number): string => {
  const mac = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  return `t=${seconds},v1=${mac}`;
};
