import { shortName } from '../explain-error.ts';
import { quoted } from './launch.ts';
import { oneLine } from './style.ts';

/** The command that goes on with a session; agents look for it in the folder where it was begun. */
export function resumeCommand(session: { backend: string; id: string; cwd: string }): string {
  const where = session.cwd === process.cwd() ? [] : ['--cwd', session.cwd];
  const words = ['--backend', shortName(session.backend), ...where, '--resume', session.id];
  return `baton run ${words.map((word) => quoted(oneLine(word, 1000))).join(' ')} "…"`;
}
