import { z } from 'zod';
import { isAddressRange, isLoopback } from '../../core/index.ts';
import { accessToken } from './fields.ts';
import { fieldNotes } from './notes.ts';

const port = z.int().min(0).max(65_535);

export const health = z.strictObject({
  host: z.string().min(1).default('0.0.0.0').describe('Address to listen on.'),
  port: port.default(8080).describe('Port to listen on. 0 selects a free port, which is logged.'),
});

const hostName = z.string().regex(/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/, 'must be a host name, without a port');

/** The status page. */
export const status = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Whether the daemon serves the page.'),
    host: z
      .string()
      .min(1)
      .default('127.0.0.1')
      .describe('Address to listen on. Other addresses than loopback require token or proxies.'),
    port: port.default(8081).describe('Port to listen on. 0 selects a free port, which is logged.'),
    names: z
      .array(hostName)
      .default([])
      .describe(
        'Host names under which the page may be requested, in addition to IP addresses, localhost and the host of public_url.',
      ),
    token: accessToken
      .optional()
      .describe(
        'Secret reference of the token that people log in with: "${STATUS_TOKEN}". Required to run jobs, mute and acknowledge alerts and resend mails on the page; on other addresses than loopback also to read it.',
      ),
    feed_token: accessToken
      .optional()
      .describe(
        'Secret reference of the token that opens /feed.atom by its URL, and nothing else: "${STATUS_FEED_TOKEN}". Tokens of badges are derived from it; the page lists the addresses after a login. It must differ from token.',
      ),
    proxies: z
      .strictObject({
        addresses: z
          .array(z.string().refine(isAddressRange, 'must be an IP address, or a range such as 10.0.0.0/8'))
          .min(1)
          .describe('Addresses from which the proxies connect.'),
        header: z
          .string()
          .regex(/^[A-Za-z0-9-]{1,100}$/, 'must be the name of a header')
          .default('X-Forwarded-User')
          .describe(
            'Header in which a proxy names the user that it has authenticated. It must remove it from requests of clients.',
          ),
      })
      .optional()
      .describe(
        'Proxies that authenticate readers, on other addresses than loopback. They may read, but not act.',
      ),
    public_url: z
      .string()
      .regex(
        /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/,
        'must be an http or https URL without a user, a query and a fragment',
      )
      .optional()
      .describe(
        'URL at which readers reach the page. Mails then link to the page and to archived reports, and with token alert mails have a link that acknowledges or mutes the alert.',
      ),
  })
  .superRefine(({ token, feed_token: feedToken }, context) => {
    if (token === undefined || feedToken === undefined || token.reveal() !== feedToken.reveal()) return;
    context.addIssue({
      code: 'custom',
      path: ['feed_token'],
      message: 'must differ from token: URLs are seen by more people than a token of a login',
    });
  });

/** Metrics for Prometheus. */
export const metrics = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Whether the daemon serves metrics.'),
    host: z
      .string()
      .min(1)
      .register(fieldNotes, {
        advice:
          'add token: "${METRICS_TOKEN}" under metrics, or remove host; `openssl rand -hex 32` prints a token',
      })
      .default('127.0.0.1')
      .describe(
        'Address to listen on. Other addresses than loopback require a token, since metrics show spend.',
      ),
    port: port.default(9464).describe('Port to listen on. 0 selects a free port, which is logged.'),
    token: accessToken
      .optional()
      .describe('Secret reference of the bearer token that scrapers send: "${METRICS_TOKEN}".'),
    names: z
      .array(hostName)
      .default([])
      .describe(
        'Host names under which metrics may be requested, in addition to IP addresses and localhost.',
      ),
  })
  .superRefine(({ host, token }, context) => {
    if (token !== undefined || isLoopback(host)) return;
    context.addIssue({
      code: 'custom',
      path: ['host'],
      message: 'must be a loopback address such as 127.0.0.1 unless token is set, since metrics show spend',
    });
  });
