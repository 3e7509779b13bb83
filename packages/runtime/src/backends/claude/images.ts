import { readFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { BatonError, type ImageInput } from '@baton/protocol';
import type { ImageData } from './frames.ts';

const MIME_TYPES: Readonly<Record<string, string>> = {
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

/** Reads an image that is given as a file, so that it can be sent. */
export function readImage(image: ImageInput, cwd: string): ImageData {
  if (!('path' in image)) return image;
  const mimeType = MIME_TYPES[extname(image.path).toLowerCase()];
  if (!mimeType) {
    throw new BatonError('usage', `Claude Code takes no such image: ${image.path}`, {
      hint: `Use one of ${Object.keys(MIME_TYPES).join(', ')}.`,
    });
  }
  try {
    return { data: readFileSync(resolve(cwd, image.path)).toString('base64'), mimeType };
  } catch (cause) {
    throw new BatonError('usage', `The image cannot be read: ${image.path}`, { cause });
  }
}
