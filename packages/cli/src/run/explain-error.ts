import type { Baton } from '@baton/agents/registry/baton';
import type { Settings } from '@baton/config/settings';
import type { Backend } from '@baton/engine/definition/backend';
import type { ErrorInfo } from '@baton/protocol';
import { shortName } from '../view/short-name.ts';
import { oneLine } from '../view/style.ts';
import { installedAgents } from './choose-backend.ts';

/** Maximum number of characters of an unrecognized line. */
const SHOWN = 200;

type ErrorContext = {
  baton: Baton;
  backend: Backend;
  settings: Settings;
  /** The first unrecognized line of the agent. */
  printed?: string | undefined;
};

/** Adds the next step to an error: the setting with the path, the install command, or the printed line. */
export async function explained(error: ErrorInfo, context: ErrorContext): Promise<ErrorInfo> {
  if (error.code === 'output_unreadable') return withPrinted(error, context.printed);
  const isMissing = error.code === 'backend_not_found' || error.code === 'backend_not_executable';
  return isMissing ? withPlace(error, context) : error;
}

function withPrinted(error: ErrorInfo, printed: string | undefined): ErrorInfo {
  const line = oneLine(printed ?? '', SHOWN);
  if (line === '' || error.message.includes(line)) return error;
  return { ...error, message: `${error.message} Its first line was: ${line}` };
}

async function withPlace(
  error: ErrorInfo,
  { baton, backend, settings }: ErrorContext,
): Promise<ErrorInfo> {
  const { binary } = baton.backend(backend.id);
  if (!binary || !('name' in binary)) return error;
  const given = baton.withSettings(settings).givenBinary(backend.id);
  if (given) {
    if (given.setting === 'variable') return error;
    return {
      ...error,
      hint: `${error.hint ?? ''} It is set by ${given.setting} in ${given.origin}.`.trim(),
    };
  }
  if (error.code !== 'backend_not_found') return error;
  const { skipped = [] } = await backend.probe();
  // There is one that must be named to be used; its hint says so.
  if (skipped.length > 0) return error;
  const flags = (await others(baton, settings)).map((id) => `--backend ${shortName(baton, id)}`);
  if (flags.length === 0) return error;
  return {
    ...error,
    hint: `${error.hint ?? ''} Or use an installed agent: ${flags.join(' or ')}.`.trim(),
  };
}

/** A backend that was named explicitly is never replaced. */
async function others(baton: Baton, settings: Settings): Promise<string[]> {
  return settings.get('backend') === undefined ? installedAgents(baton, settings) : [];
}
