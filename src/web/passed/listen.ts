import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getConnInfo } from '@hono/node-server/conninfo';
import { messageOf } from '../../core/index.ts';
import { openListener, type Listener, type ListenerOptions } from '../open-listener.ts';
import { renderNote } from '../page/page.ts';
import { headers, pagePolicy } from '../page/policies.ts';
import { show } from '../page/show.ts';
import { maxForm, type PassedAnswer, type PassedRequest } from './request.ts';

/** What the page of this process answers to a request that reached another one. */
export const answerPassed = async (
  page: Hono,
  { method, url, headers: given, body, peer }: PassedRequest,
): Promise<PassedAnswer> => {
  const request = new Request(url, {
    method,
    headers: given.map(([name, value]): [string, string] => [name, value]),
    ...(body === '' ? {} : { body }),
  });
  const response = await page.fetch(request, { incoming: { socket: { remoteAddress: peer } } });
  return { status: response.status, headers: [...response.headers], body: await response.text() };
};

/**
 * Serves the status page of another process: `ask` passes each request on to it.
 * @throws Fault `port-in-use`, `wrong-use`
 */
export const listenForPassing = async (
  ask: (request: PassedRequest, signal: AbortSignal) => Promise<PassedAnswer>,
  options: Omit<ListenerOptions, 'section'>,
): Promise<Listener> => {
  const app = new Hono();
  app.use(bodyLimit({ maxSize: maxForm, onError: (context) => context.text('The form is too large.', 413) }));
  app.all('*', async (context) => {
    const { method, url, raw } = context.req;
    const asked = { method, url, headers: [...raw.headers], body: await context.req.text() };
    const peer = getConnInfo(context).remote.address ?? '';
    const answer = await ask({ ...asked, peer }, raw.signal);
    const { status } = answer;
    const given = answer.headers.map(([name, value]): [string, string] => [name, value]);
    return new Response(answer.body === '' ? null : answer.body, { status, headers: given });
  });
  app.onError((error, context) => {
    for (const [name, value] of Object.entries(headers)) context.header(name, value);
    context.header('content-security-policy', pagePolicy);
    return show(context, renderNote(`The page is not available at this moment: ${messageOf(error)}`), 503);
  });
  return openListener(app, { ...options, section: 'status' });
};
