import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BatonClient } from '@baton/client';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { removeAttachments, withAttachments } from './attachment-files.ts';

const KEPT: Readonly<Record<string, { name: string; media_type: string; text: string }>> = {
  note: { name: 'notes.txt', media_type: 'text/plain', text: 'one' },
  other: { name: 'notes.txt', media_type: 'text/plain', text: 'two' },
  picture: { name: 'a.png', media_type: 'image/png', text: 'pixels' },
  drawing: { name: 'a.svg', media_type: 'image/svg+xml', text: '<svg>' },
  odd: { name: '..', media_type: 'text/plain', text: 'odd' },
};

const client = {
  attachments: {
    async get(id: string) {
      const { text = '', ...info } = KEPT[id] ?? {};
      return { attachment_id: id, ...info, data: Buffer.from(text).toString('base64') };
    },
  },
} as unknown as BatonClient;

let folder: string;

beforeEach(() => {
  const parent = mkdtempSync(join(tmpdir(), 'baton-attached-'));
  folder = join(parent, 'task.files');
  onTestFinished(() => rmSync(parent, { recursive: true }));
});

const attach = (takesImages: boolean, ...ids: string[]) =>
  withAttachments(client, { prompt: 'Look.' }, { ids, takesImages, folder });

test('a prompt without attachments stays as it is, and makes no folder', async () => {
  expect(await attach(true)).toEqual({ prompt: 'Look.' });
  expect(existsSync(folder)).toBe(false);
});

test('images are passed as images to an agent that supports them', async () => {
  expect(await attach(true, 'picture')).toEqual({
    prompt: 'Look.',
    images: [{ data: Buffer.from('pixels').toString('base64'), mimeType: 'image/png' }],
  });
});

test('everything else is a file that only its owner can read, named at the end of the prompt', async () => {
  const { prompt, images } = await attach(true, 'note', 'other', 'drawing');
  expect(images).toBeUndefined();
  const [head, ...lines] = prompt.split('\n').slice(2);
  expect(head).toBe('Attached files:');
  const paths = lines.map((line) => line.replace('- ', ''));
  expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['one', 'two', '<svg>']);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const path of paths) expect(statSync(path).mode & 0o777).toBe(0o600);
  removeAttachments(folder);
  expect(existsSync(folder)).toBe(false);
});

test('an agent without image support gets them as files', async () => {
  const { prompt, images } = await attach(false, 'picture');
  expect(images).toBeUndefined();
  expect(prompt).toContain('a.png');
});

test('no name leads out of the folder', async () => {
  const { prompt } = await attach(false, 'odd');
  expect(prompt).toContain(join(folder, 'odd', 'attachment'));
});
