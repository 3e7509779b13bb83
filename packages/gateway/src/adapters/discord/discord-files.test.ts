import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { connectDiscord } from '../../testing/fake-discord/connected-adapter.ts';
import { DISCORD_LIMITS } from './discord-limits.ts';
import { downloadAttachment } from './download-attachment.ts';

const LOG = { name: 'build log.txt', mediaType: 'text/plain', content: Buffer.from('it failed') };

test('receives and downloads files', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, receiver } = world;
  discord.say(discord.channelId, discord.userId, 'why?', { files: [LOG] });
  await expect.poll(() => receiver.messages).toHaveLength(1);
  const [file] = receiver.messages[0]?.files ?? [];
  if (!file) throw new Error('The message has no file.');
  expect(file).toMatchObject({ name: LOG.name, mediaType: 'text/plain', bytes: 9 });
  expect(Buffer.from(await adapter.download(file)).toString()).toBe('it failed');
});

test('sends files', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, channel } = world;
  const image = { name: 'a.png', mediaType: 'image/png', content: new Uint8Array([1, 2, 3]) };
  const nonce = 'with files';
  const id = await adapter.send(channel, { text: 'see', files: [LOG, image] }, nonce);
  await adapter.send(channel, { text: 'see', files: [LOG, image] }, nonce);
  const [message, ...others] = discord.botMessages(discord.channelId);
  expect(others).toEqual([]);
  expect(message).toMatchObject({
    id,
    content: 'see',
    attachments: [
      { name: LOG.name, mediaType: 'text/plain' },
      { name: 'a.png', mediaType: 'image/png' },
    ],
  });
  expect(Buffer.from(message?.attachments[0]?.content ?? []).toString()).toBe('it failed');
  expect(message?.attachments[1]?.content).toEqual(image.content);
});

test('sends a file without a text', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, channel } = world;
  await adapter.send(channel, { text: '', files: [LOG] }, 'nonce');
  expect(discord.botMessages(discord.channelId)).toMatchObject([
    { content: '', attachments: [{}] },
  ]);
});

test('keeps the files of a message that is edited', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, channel } = world;
  const id = await adapter.send(channel, { text: 'see', files: [LOG] }, 'nonce');
  await adapter.edit(channel, id, { text: 'look' });
  expect(discord.botMessages(discord.channelId)).toMatchObject([
    { content: 'look', attachments: [{ name: LOG.name }] },
  ]);
});

test('reports files that are too large for Discord', async () => {
  await using world = await connectDiscord({ uploadBytes: 8 });
  const sending = world.adapter.send(world.channel, { text: 'see', files: [LOG] }, 'nonce');
  await expect(sending).rejects.toMatchObject({ code: 'request_rejected', retryable: false });
});

test('does not download files that are too large', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, receiver } = world;
  const size = DISCORD_LIMITS.receivedFileBytes + 1;
  discord.say(discord.channelId, discord.userId, 'big', { files: [{ ...LOG, size }] });
  await expect.poll(() => receiver.messages).toHaveLength(1);
  const [file] = receiver.messages[0]?.files ?? [];
  if (!file) throw new Error('The message has no file.');
  await expect(adapter.download(file)).rejects.toMatchObject({ code: 'request_rejected' });
  // The size that was announced is not trusted.
  const small = { ...file, bytes: 1 };
  const options = { maxBytes: 8, apiUrl: discord.apiUrl };
  await expect(downloadAttachment(small, options)).rejects.toMatchObject({
    code: 'request_rejected',
  });
});

test('reports a file that Discord no longer has', async () => {
  await using world = await connectDiscord();
  const { discord, adapter } = world;
  const source = `${new URL(discord.apiUrl).origin}/attachments/1/2/gone.txt`;
  const file = { source, name: 'gone.txt', mediaType: 'text/plain', bytes: 1 };
  await expect(adapter.download(file)).rejects.toMatchObject({
    code: 'not_found',
    retryable: false,
  });
});

test('downloads from no other host, also not after a redirect', async () => {
  await using world = await connectDiscord();
  const { discord, adapter } = world;
  let requests = 0;
  const other = createServer((_, response) => {
    requests += 1;
    response.writeHead(302, { location: `${discord.apiUrl}/v10/gateway` }).end();
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  const facts = { name: 'secret', mediaType: 'text/plain', bytes: 1 };
  try {
    for (const source of [
      `http://127.0.0.1:${port}/attachments/1/2/secret`,
      'http://cdn.discordapp.com/attachments/1/2/secret',
      'https://cdn.discordapp.com.example.com/secret',
      'https://cdn.discordapp.com:8443/secret',
      'https://user@cdn.discordapp.com/secret',
      'file:///etc/hostname',
      'not a URL',
    ]) {
      await expect(adapter.download({ ...facts, source })).rejects.toMatchObject({
        code: 'forbidden',
        retryable: false,
      });
    }
    expect(requests).toBe(0);
    // This host is allowed here, but where it redirects to is not followed.
    const apiUrl = `http://127.0.0.1:${port}/api`;
    const source = `http://127.0.0.1:${port}/attachments/1/2/secret`;
    const redirected = downloadAttachment({ ...facts, source }, { maxBytes: 100, apiUrl });
    await expect(redirected).rejects.toMatchObject({ code: 'network_unreachable' });
    expect(discord.requests.some(({ path }) => path === '/gateway')).toBe(false);
  } finally {
    other.close();
  }
});
