// A program in a link: all of it is in the fragment, which no server sees.

const bytesOf = async (stream) => new Uint8Array(await new Response(stream).arrayBuffer());
const through = (bytes, stream) => bytesOf(new Blob([bytes]).stream().pipeThrough(stream));

export const MOST_CHARACTERS = 30_000;

/** The text for the fragment: JSON, deflate, base64 as URLs have it. */
export async function packed(document) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(document)), new CompressionStream('deflate-raw'));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** The document of a fragment. Raises an Error for anything else. */
export async function unpacked(text) {
  if (text.length > MOST_CHARACTERS) throw new Error('the link is too long');
  let document;
  try {
    const letters = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    document = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw'))));
  } catch {
    throw new Error('a part of it is missing or changed');
  }
  if (typeof document?.source !== 'string') throw new Error('it holds no program');
  return document;
}
