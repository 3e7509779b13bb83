import { resolve } from 'node:path';
import { BatonError, type ImageInput } from '@baton/protocol';

/** The paths of pictures, for a command line, which takes no other kind. */
export function imagePaths(images: readonly ImageInput[], cwd: string): string[] {
  return images.map((image) => {
    if ('path' in image) return resolve(cwd, image.path);
    throw new BatonError('capability_missing', 'The print transport takes images only as files.', {
      hint: 'Leave the transport to Baton, or write the image to a file.',
    });
  });
}
