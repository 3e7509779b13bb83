import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** In a clone; the published command has the built template and no sources. */
const BUILDER = '../../../../../scripts/build/bundle-compiled-agent.ts';

type Builder = { cachedTemplate(): Promise<string> };

/** The program that agent files are put into: beside the built command, or built from the sources of a clone. */
export async function readTemplate(): Promise<string> {
  const built = join(import.meta.dirname, 'agent-template.js');
  if (existsSync(built)) return readFileSync(built, 'utf8');
  const builder: Builder = await import(pathToFileURL(join(import.meta.dirname, BUILDER)).href);
  return builder.cachedTemplate();
}
