import { expect, test } from 'vitest';
import { testDaemon } from '../testing/test-daemon.ts';
import { html } from './html.ts';

test('what a daemon can do is shown to everybody, as a page and as a document', async () => {
  const daemon = await testDaemon();
  const get = (path: string) => daemon.call('GET', path, { as: '' });
  const page = await get('/');
  expect(page.status).toBe(200);
  expect(page.headers.get('Content-Type')).toContain('text/html');
  const text = String(page.body.text);
  expect(text).toContain('/sessions/{session_id}/executeTask');
  expect(text).not.toContain('<script');
  expect((await get('/openapi.json')).body).toMatchObject({ openapi: '3.1.0' });
});

test('every link of the page leads somewhere', async () => {
  const daemon = await testDaemon();
  const { body } = await daemon.call('GET', '/docs', { as: '' });
  const text = String(body.text);
  const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter((id) => !ids.has(id))).toEqual([]);
});

test('whatever is put into a page is escaped', () => {
  expect(html`<p>${'<b> & "c"'}${[html`<i>`, false, undefined]}</p>`.html).toBe(
    '<p>&lt;b&gt; &amp; &quot;c&quot;<i></p>',
  );
});
