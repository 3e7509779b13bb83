import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { BatonError, type ImageInput } from '@baton/protocol';

/** Refuses pictures that are not there: Codex would only tell the model that it could not read them. */
export function checkImages(images: readonly ImageInput[], cwd: string): void {
  for (const image of images) {
    if (!('path' in image) || existsSync(resolve(cwd, image.path))) continue;
    throw new BatonError('usage', `The image does not exist: ${image.path}`);
  }
}

/** The paths of pictures, for a command line, which takes no other kind. */
export function imagePaths(images: readonly ImageInput[], cwd: string): string[] {
  return images.map((image) => {
    if ('path' in image) return resolve(cwd, image.path);
    throw new BatonError('capability_missing', 'The print transport takes images only as files.', {
      hint: 'Leave the transport to Baton, or write the image to a file.',
    });
  });
}
