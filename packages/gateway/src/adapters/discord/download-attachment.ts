import { BatonError } from '@baton/protocol';
import type { ReceivedFile } from '../../queue/gateway-event.ts';
import { messageOf } from './discord-errors.ts';

const CDN_ORIGINS = ['https://cdn.discordapp.com', 'https://media.discordapp.net'];
const TIMEOUT_MS = 60_000;

type DownloadOptions = {
  maxBytes: number;
  /** The REST base of a stand-in, which serves its own files. */
  apiUrl: string | undefined;
};

/**
 * Downloads an attachment. The URL comes from a stored event, so it is checked: a request to any other host, also by a
 * redirect, could reach services that only this machine can.
 */
export async function downloadAttachment(
  file: ReceivedFile,
  options: DownloadOptions,
): Promise<Uint8Array> {
  const url = allowedUrl(file, options.apiUrl);
  if (file.bytes > options.maxBytes) throw tooLarge(file, options.maxBytes);
  const response = await request(file, url);
  if (response.status === 403 || response.status === 404) {
    throw new BatonError('not_found', `Discord no longer has the file ${file.name}.`, {
      hint: 'Send the file again: the links of files expire after a day.',
    });
  }
  if (!response.ok || !response.body) {
    const retryable = response.status >= 500 || response.status === 429;
    throw new BatonError(
      'provider_error',
      `The file ${file.name} could not be downloaded: HTTP ${response.status}.`,
      { retryable },
    );
  }
  return read(file, response.body, options.maxBytes);
}

function allowedUrl(file: ReceivedFile, apiUrl: string | undefined): URL {
  const url = URL.canParse(file.source) ? new URL(file.source) : undefined;
  const allowed = apiUrl === undefined ? CDN_ORIGINS : [...CDN_ORIGINS, new URL(apiUrl).origin];
  if (url && allowed.includes(url.origin) && url.username === '') return url;
  throw new BatonError('forbidden', `The file ${file.name} is not on a server of Discord.`, {
    hint: 'Send the file as an attachment.',
  });
}

async function request(file: ReceivedFile, url: URL): Promise<Response> {
  try {
    return await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    throw interrupted(file, error);
  }
}

/** The size in the event and the headers may be wrong, so the bytes are counted. */
async function read(
  file: ReceivedFile,
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      // Leaving the loop cancels the rest of the download.
      if (bytes > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw interrupted(file, error);
  }
  if (bytes > maxBytes) throw tooLarge(file, maxBytes);
  return Buffer.concat(chunks);
}

function tooLarge(file: ReceivedFile, maxBytes: number): BatonError {
  return new BatonError(
    'request_rejected',
    `The file ${file.name} is larger than ${Math.floor(maxBytes / 1024 / 1024)} MiB.`,
    { hint: 'Send a smaller file.' },
  );
}

function interrupted(file: ReceivedFile, error: unknown): BatonError {
  return new BatonError(
    'network_unreachable',
    `The file ${file.name} could not be downloaded: ${messageOf(error)}`,
  );
}
