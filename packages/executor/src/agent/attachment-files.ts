import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AttachmentRecord, BatonClient } from '@baton/client';
import type { ImageInput, RunRequest } from '@baton/protocol';

/** The image types that agents accept as images; they get all others as files. */
const PICTURES: ReadonlySet<string> = new Set([
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
]);

type AttachmentOptions = {
  /** Ids of the prompt's attachments. */
  ids: readonly string[];
  /** True if the agent accepts images. */
  takesImages: boolean;
  /** Folder for the files; created with the first file, for its owner only. */
  folder: string;
};

/** Adds the attachments of a prompt: images inline if the agent accepts them, everything else as files. */
export async function withAttachments(
  client: BatonClient,
  request: RunRequest,
  { ids, takesImages, folder }: AttachmentOptions,
): Promise<RunRequest> {
  if (ids.length === 0) return request;
  const images: ImageInput[] = [...(request.images ?? [])];
  const files: string[] = [];
  // One after another: together they may be large.
  for (const id of ids) {
    const { data, ...info } = await client.attachments.get(id);
    if (takesImages && PICTURES.has(info.media_type)) {
      images.push({ data, mimeType: info.media_type });
    } else {
      files.push(written(info, Buffer.from(data, 'base64'), folder));
    }
  }
  return {
    ...request,
    ...(images.length > 0 ? { images } : {}),
    prompt: files.length > 0 ? `${request.prompt}\n\n${list(files)}` : request.prompt,
  };
}

/** Removes the files again. */
export function removeAttachments(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Each file has its own folder, because two may have the same name. */
function written({ attachment_id, name }: AttachmentRecord, body: Buffer, folder: string): string {
  const own = join(folder, attachment_id);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const path = join(own, name === '.' || name === '..' ? 'attachment' : name);
  writeFileSync(path, body, { mode: 0o600 });
  return path;
}

function list(files: readonly string[]): string {
  return ['Attached files:', ...files.map((path) => `- ${path}`)].join('\n');
}
