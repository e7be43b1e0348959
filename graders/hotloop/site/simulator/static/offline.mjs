// After the first run the page and its simulator work without a network: a service worker keeps them.

let lastAsked = '';

export async function keepForOffline(assets, parts) {
  const asked = parts.join();
  if (lastAsked === asked || !('serviceWorker' in navigator)) return;
  lastAsked = asked;
  const root = new URL('../../../', assets);
  try {
    await navigator.serviceWorker.register(new URL('kept-pages.js', root), { scope: root.pathname });
    const cache = await caches.open('hotloop');
    const version = new URL(assets).pathname;
    const isOld = ({ url }) => /\/assets\/simulator\/[0-9a-f]+\//.test(url) && !new URL(url).pathname.startsWith(version);
    for (const request of (await cache.keys()).filter(isOld)) await cache.delete(request);
    const shown = performance.getEntriesByType('resource').map(({ name }) => name);
    const names = new Set([location.href.split('#')[0], ...shown].filter((name) => name.startsWith(root.href)));
    const index = await (await fetch(new URL('index.json', assets))).json();
    for (const name of parts.flatMap((part) => index.kept[part])) names.add(new URL(name, assets).href);
    for (const name of names) if (!(await cache.match(name))) await cache.add(name);
    document.documentElement.dataset.offline = 'yes';
  } catch {
    lastAsked = ''; // Private windows have no service workers, and a disk may be full: it works online.
  }
}
