import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WarningLog } from '@baton/contracts';
import { type ImageInput, shortened } from '@baton/protocol';
import type { ChannelAdapter } from '../channel-adapter.ts';
import type { GatewayEvent, ReceivedFile } from '../queue/gateway-event.ts';

/** Longer text files are not put into a prompt. */
const MAX_INLINE = 64 * 1024;
const IMAGE = /^image\/(?:png|jpeg|gif|webp)$/;

/** A message whose files the agent can read. */
type MessageWithFiles = {
  /** The message, with its files as a part of the text. */
  readonly event: GatewayEvent;
  readonly images: readonly ImageInput[];
  /** Deletes what was downloaded. */
  remove(): Promise<void>;
};

/**
 * Downloads the files of a message. An agent in this process gets their paths in a temporary folder. An agent of a daemon
 * may run on another machine: it gets images and short texts with the prompt, and only the names of others.
 */
export async function receiveFiles(
  adapter: ChannelAdapter,
  event: GatewayEvent,
  { isRemote, log }: { isRemote: boolean; log: WarningLog },
): Promise<MessageWithFiles> {
  const { files, ...message } = event;
  if (files.length === 0) return { event, images: [], remove: async () => {} };
  const folder = isRemote ? undefined : await mkdtemp(join(tmpdir(), 'baton-gateway-'));
  const remove = async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  };
  const images: ImageInput[] = [];
  /** Hands a file to the agent, and returns what to tell about it. */
  const hand = async (file: ReceivedFile, index: number): Promise<string> => {
    const content = await contentOf(adapter, file, log);
    if (!content) return 'could not be downloaded';
    if (folder !== undefined) {
      const path = join(folder, `${index + 1}-${nameOf(file)}`);
      await writeFile(path, content, { mode: 0o600 });
      return path;
    }
    if (!IMAGE.test(file.mediaType)) return inlined(content);
    images.push({ data: Buffer.from(content).toString('base64'), mimeType: file.mediaType });
    return `image ${images.length} of this prompt`;
  };
  try {
    const notes: string[] = [];
    for (const [index, file] of files.entries()) {
      const label = `${nameOf(file)} (${file.mediaType}, ${file.bytes} bytes)`;
      notes.push(`- ${label}: ${await hand(file, index)}`);
    }
    const text = `${message.text}\n\nFiles attached in the chat:\n${notes.join('\n')}`;
    return { event: { ...message, text, files: [] }, images, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function contentOf(
  adapter: ChannelAdapter,
  file: ReceivedFile,
  log: WarningLog,
): Promise<Uint8Array | undefined> {
  try {
    return await adapter.download(file);
  } catch (error) {
    log.warn(
      `${nameOf(file)} could not be downloaded: ${error instanceof Error ? error.message : error}`,
    );
    return undefined;
  }
}

/** A name without anything that leads elsewhere. */
function nameOf({ name }: ReceivedFile): string {
  const plain = name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '_').replace(/^[._]+/, '');
  return plain === '' ? 'file' : shortened(plain, 100).replace('…', '');
}

function inlined(content: Uint8Array): string {
  if (content.length > MAX_INLINE) return 'too long to include';
  try {
    const text = new TextDecoder('utf8', { fatal: true }).decode(content);
    return `\n~~~~~~\n${text.replaceAll(/~{6,}/g, '~~~~~')}\n~~~~~~`;
  } catch {
    return 'not a text';
  }
}
