import { SourceMap } from 'node:module';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { inAscii, mapInAscii } from './ascii.ts';

const SOURCE = `export const greeting = ['Grüße, 世界 🎼', /[ü🎼]/u];
export const second = () => { throw new Error('ärger'); };
`;

async function bundled() {
  const plugin = { name: 'source', resolveId: () => 'source.js', load: () => SOURCE };
  const bundle = await rolldown({ input: 'source', plugins: [plugin] });
  const { output } = await bundle.generate({ sourcemap: true, minify: true });
  const [{ code, map }] = output;
  if (!map) throw new Error('There is no map.');
  return { code, map };
}

test('a program in ASCII does the same', async () => {
  const { code } = await bundled();
  const ascii = inAscii(code);
  expect(ascii).toMatch(/^[\0-\x7f]*$/);
  const { greeting } = await import(`data:text/javascript,${encodeURIComponent(ascii)}`);
  const [text, pattern] = greeting;
  expect([text, pattern.test('🎼'), pattern.test('u')]).toEqual(['Grüße, 世界 🎼', true, false]);
});

test('the map of a program in ASCII leads to the same places', async () => {
  const { code, map } = await bundled();
  const payload = { ...map, mappings: mapInAscii(code, map.mappings), sourceRoot: '' };
  const place = inAscii(code).split('\n')[0]?.indexOf('throw') ?? -1;
  const entry = new SourceMap(payload).findEntry(0, place);
  if (!('originalLine' in entry)) throw new Error('The map has no entry for it.');
  const line = SOURCE.split('\n')[entry.originalLine];
  expect(line?.slice(entry.originalColumn)).toMatch(/^throw/);
});
