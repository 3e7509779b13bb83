import { readFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { BatonError, type ImageInput } from '@baton/protocol/values';

const MIME_TYPES: Readonly<Record<string, string>> = {
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

/** An image whose bytes are there. */
export type ImageData = Extract<ImageInput, { data: string }>;

/** Reads an image that is given as a file, so that it can be sent. */
export function readImage(
  image: ImageInput,
  cwd: string,
  read: (path: string) => Buffer = readFileSync,
): ImageData {
  if (!('path' in image)) return image;
  const mimeType = MIME_TYPES[extname(image.path).toLowerCase()];
  if (!mimeType) {
    throw new BatonError('usage', `Unsupported image format: ${image.path}`, {
      hint: `Use one of ${Object.keys(MIME_TYPES).join(', ')}.`,
    });
  }
  try {
    return { data: read(resolve(cwd, image.path)).toString('base64'), mimeType };
  } catch (cause) {
    if (BatonError.is(cause)) throw cause;
    throw new BatonError('usage', `Cannot read the image: ${image.path}`, { cause });
  }
}
