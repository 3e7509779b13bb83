import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { BatonError } from '@baton/protocol/values';
import type { Plugin, RolldownLog } from 'rolldown';

/** Module that agent files import; users need not install it. */
const ENTRY = '@baton/runtime/agent';
const ENTRY_MODULE = '\0agent-entry';
const ENTRY_CODE = 'export const defineAgent = (agent) => agent;';

const provideEntry: Plugin = {
  name: 'agent-entry',
  resolveId: (id) => (id === ENTRY ? ENTRY_MODULE : null),
  load: (id) => (id === ENTRY_MODULE ? ENTRY_CODE : null),
};

/** Bundles an agent file with all of its imports into one CommonJS module. */
export async function bundleAgent(path: string, warn: (warning: string) => void): Promise<string> {
  const { rolldown } = await loadBundler();
  const missing: RolldownLog[] = [];
  const bundling = async () => {
    const bundle = await rolldown({
      input: path,
      platform: 'node',
      plugins: [provideEntry],
      transform: { target: 'node22.14' },
      onLog(level, log) {
        // An import that cannot be resolved would only fail when the agent is run.
        if (log.code === 'UNRESOLVED_IMPORT') missing.push(log);
        else if (level === 'warn') warn(problemLine(log));
      },
    });
    return bundle.generate({ format: 'cjs', codeSplitting: false, exports: 'named' });
  };
  const { output } = await bundling().catch((cause: unknown) => {
    throw failure(problemsIn(cause), cause);
  });
  if (missing.length > 0) throw failure(missing);
  return output[0].code;
}

async function loadBundler(): Promise<typeof import('rolldown')> {
  try {
    return await import('rolldown');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    throw new BatonError('usage', `baton compile needs the bundler rolldown: ${why}`, {
      hint: 'Install it where Baton is installed: npm install -g rolldown, or npm install rolldown in the project.',
      cause,
    });
  }
}

function failure(problems: readonly RolldownLog[], cause?: unknown): BatonError {
  const isMissing = problems.some(({ code }) => code === 'UNRESOLVED_IMPORT');
  const hint = isMissing
    ? 'Check the path, or install the package in the folder of the agent file.'
    : 'Fix the agent file and compile it again.';
  return new BatonError('usage', problems.map(problemLine).join('\n'), { hint, cause });
}

function problemsIn(cause: unknown): RolldownLog[] {
  if (!(cause instanceof Error)) return [{ message: String(cause) }];
  return 'errors' in cause && Array.isArray(cause.errors) ? cause.errors : [cause];
}

/** Formats a problem as one line, as compilers print it; the bundler adds an excerpt of the file. */
function problemLine({ message, loc }: RolldownLog): string {
  const [first = ''] = stripVTControlCharacters(message).split('\n');
  const words = first.replace(/^\[\w+\] /, '');
  if (!loc?.file) return words;
  return `${relative('.', loc.file)}:${loc.line}:${loc.column + 1}: ${words}`;
}
