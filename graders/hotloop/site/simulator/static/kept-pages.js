// The service worker of the site: what was kept (offline.mjs) is there without a network.
const SIMULATOR = /\/assets\/simulator\/[0-9a-f]+\//;

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

async function answer(request) {
  const cache = await caches.open('hotloop');
  // The simulator's folder is named by its content: what is kept of it is right forever.
  const kept = await cache.match(request, { ignoreSearch: true });
  if (kept && SIMULATOR.test(request.url)) return kept;
  try {
    const response = await fetch(request);
    if (response.ok && (kept || SIMULATOR.test(request.url) || request.mode === 'navigate')) {
      cache.put(request, response.clone()).catch(() => {});
    }
    return response;
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method === 'GET' && new URL(request.url).origin === location.origin) event.respondWith(answer(request));
});
