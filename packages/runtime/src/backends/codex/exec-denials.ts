import type { EventDraft } from '../../dialect.ts';

/** `codex exec --json` has no item for a tool that its sandbox or its approval policy refuses: only a trace tells of it. */
const REFUSED_TOOL =
  /\sERROR codex_core::tools::router: error=((patch rejected: |approval policy is Never; ).*)$/;

/** Makes a reader of standard error that reports refused tools; it tells whether a line was about one. */
export function execDenials(emit: (draft: EventDraft) => void): (line: string) => boolean {
  let refused = 0;
  return (line) => {
    const [, output, kind] = REFUSED_TOOL.exec(line) ?? [];
    if (output === undefined) return false;
    refused += 1;
    const callId = `refused_${refused}`;
    const name = kind?.startsWith('patch') ? 'file_change' : 'command_execution';
    const action = { type: 'other', description: output } as const;
    emit({ type: 'tool.started', callId, name, action, synthetic: true });
    emit({ type: 'tool.completed', callId, outcome: 'denied', output, synthetic: true });
    return true;
  };
}
