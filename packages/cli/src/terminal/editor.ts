import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { programWords } from '@baton/config/values/command-words';
import { BatonError } from '@baton/protocol/values';

/**
 * Opens a folder in the user's editor, or in the file manager of a desktop if no editor is set. Returns the exit code of
 * an editor, which may use this terminal.
 */
export function openFolder(path: string, env = process.env): Promise<number> {
  return run([...openerOf(env), path], path);
}

/** Opens a file in the user's editor and waits until it is closed; returns its exit code. */
export function editFile(path: string, env = process.env): Promise<number> {
  const editor = programWords(env.VISUAL || env.EDITOR || '');
  if (editor.length > 0) return run([...editor, path], dirname(path));
  throw new BatonError('usage', 'No editor is set.', {
    hint: 'Set VISUAL or EDITOR, such as EDITOR=vim.',
  });
}

async function run([program = '', ...args]: readonly string[], cwd: string): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit', cwd });
  try {
    // An editor on the terminal gets Ctrl-C itself.
    process.on('SIGINT', ignore);
    const [code] = await once(child, 'close');
    return code ?? 1;
  } catch (cause) {
    throw new BatonError('usage', `${program} cannot be started.`, {
      hint: 'Set VISUAL or EDITOR to the command of an editor.',
      cause,
    });
  } finally {
    process.off('SIGINT', ignore);
  }
}

/** The program and its first arguments. */
function openerOf(env: NodeJS.ProcessEnv): [string, ...string[]] {
  const [program, ...args] = programWords(env.VISUAL || env.EDITOR || '');
  if (program !== undefined) return [program, ...args];
  if (process.platform === 'darwin') return ['open'];
  if (env.DISPLAY || env.WAYLAND_DISPLAY) return ['xdg-open'];
  throw new BatonError('usage', 'No editor is set, and there is no desktop.', {
    hint: 'Set VISUAL or EDITOR, such as EDITOR=vim.',
  });
}

function ignore(): void {}
