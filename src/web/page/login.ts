import { html } from 'hono/html';
import type { Context, Hono } from 'hono';
import type { Refuse } from '../guard.ts';
import type { Access } from './access.ts';
import { renderNote } from './page.ts';
import { show } from './show.ts';
import type { Sessions } from './session.ts';

const form = (problem: string) =>
  renderNote(
    html`${problem === '' ? '' : html`<p role="alert"><b class="chip bad">refused</b> ${problem}</p>`}
      <form method="post" action="./login">
        <label>Token <input type="password" name="token" autocomplete="current-password" required /></label>
        <label>Your name <input name="name" autocomplete="name" maxlength="100" /></label>
        <p class="quiet">
          The token is the value of <code>status.token</code>. Your name is recorded with what you do.
        </p>
        <button>Log in</button>
      </form>`,
    'Tollkeeper: log in',
  );

/** The form that asks for the token, and the session that it opens. */
export const addLogin = (
  app: Hono,
  sessions: Sessions,
  { guesses }: Pick<Access, 'guesses'>,
  refuse: Refuse,
): void => {
  app.get('/login', (context) => show(context, form(''), 200));
  app.post('/login', async (context: Context) => {
    const { token, name } = await context.req.parseBody();
    if (guesses.areTooMany(context)) {
      refuse('too many wrong tokens', 'wait a minute; if the attempts are not yours, change status.token');
      context.header('retry-after', '60');
      return show(context, form('Too many attempts. Try again in a minute.'), 429);
    }
    if (typeof token !== 'string' || !sessions.open(context, token, typeof name === 'string' ? name : '')) {
      guesses.wrong(context);
      refuse('wrong token at the login', 'log in with the value of status.token');
      return show(context, form('The token is wrong.'), 401);
    }
    return context.redirect('./', 303);
  });
  app.post('/logout', async (context) => {
    await sessions.close(context);
    return context.redirect('./', 303);
  });
};
