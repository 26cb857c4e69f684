/**
 * The only script: replaces the content once a minute, unless the reader is in a form or a field, has selected text, or
 * does not look at the page. The page is complete without it.
 */
export const refreshScript = `
setInterval(async () => {
  const { activeElement: at, hidden } = document;
  if (hidden || (at && at !== document.body && at.closest('main')) || !getSelection().isCollapsed) return;
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (!answer.ok || answer.redirected) throw answer;
    document.body.classList.remove('stale');
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
    document.querySelector('main').replaceWith(fresh.querySelector('main'));
    document.querySelector('footer').replaceWith(fresh.querySelector('footer'));
  } catch {
    document.body.classList.add('stale');
  }
}, 60000);
`;
