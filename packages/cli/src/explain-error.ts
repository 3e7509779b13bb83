import type { ErrorInfo } from '@baton/protocol';
import {
  BACKEND_ALIASES,
  type Backend,
  backendEntry,
  SETTINGS,
  type Settings,
} from '@baton/runtime';
import { installedAgents } from './choose-backend.ts';
import { oneLine } from './view/style.ts';

/** So much of a line that nobody could read is shown. */
const SHOWN = 200;

export type ErrorContext = {
  backend: Backend;
  settings: Settings;
  /** The first line of the agent that nobody could read. */
  printed?: string | undefined;
};

/** The name of a backend that people type. */
export function shortName(id: string): string {
  return BACKEND_ALIASES[id]?.[0] ?? id;
}

/** Adds to an error what a person wants to know next: where a path was given, how to install, what was printed instead. */
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
  { backend, settings }: ErrorContext,
): Promise<ErrorInfo> {
  const { binarySetting } = backendEntry(backend.id);
  if (!binarySetting) return error;
  const { variable } = SETTINGS[binarySetting];
  if (settings.get(binarySetting) !== undefined) {
    const origin = settings.origin(binarySetting);
    if (origin === variable) return error;
    return { ...error, hint: `${error.hint ?? ''} It is ${binarySetting} in ${origin}.`.trim() };
  }
  if (error.code !== 'backend_not_found') return error;
  const { install, skipped = [] } = await backend.probe();
  // There is one that must be named to be used; its hint says so.
  if (skipped.length > 0) return error;
  const flags = (await others(settings)).map((id) => `--backend ${shortName(id)}`);
  const hint = [
    `Install it: ${install}`,
    ...(flags.length > 0 ? [`or use what is installed: ${flags.join(' or ')}`] : []),
    `or set ${variable} to its path.`,
  ];
  return { ...error, hint: hint.join(', ') };
}

/** Whoever named a backend wants that one. */
async function others(settings: Settings): Promise<string[]> {
  return settings.get('backend') === undefined ? installedAgents(settings) : [];
}
