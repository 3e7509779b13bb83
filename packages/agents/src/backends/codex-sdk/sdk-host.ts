import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

/** Request that the process reads from its standard input. */
export type SdkRequest = {
  /** The file to import of `@openai/codex-sdk`. */
  library: string;
  codex: { codexPathOverride?: string; configOverrides: string[] };
  thread: {
    model?: string;
    sandboxMode: 'read-only' | 'workspace-write' | 'danger-full-access';
    approvalPolicy: 'never';
    workingDirectory: string;
    skipGitRepoCheck: true;
  };
  resume?: string;
  input: ({ type: 'text'; text: string } | { type: 'local_image'; path: string })[];
  outputSchema?: unknown;
};

/** The part of the SDK that Baton uses. */
type Sdk = {
  Codex: new (
    options: SdkRequest['codex'],
  ) => {
    startThread(options: SdkRequest['thread']): Thread;
    resumeThread(id: string, options: SdkRequest['thread']): Thread;
  };
};
type Thread = {
  runStreamed(
    input: SdkRequest['input'],
    options: { outputSchema?: unknown; signal: AbortSignal },
  ): Promise<{ events: AsyncIterable<unknown> }>;
};

/** Runs one turn of the Codex SDK and prints its events, which are those of `codex exec --json`. */
async function main(signal: AbortSignal): Promise<void> {
  const request: SdkRequest = JSON.parse(await text(process.stdin));
  const { Codex }: Sdk = await import(pathToFileURL(request.library).href);
  const codex = new Codex(request.codex);
  const thread =
    request.resume === undefined
      ? codex.startThread(request.thread)
      : codex.resumeThread(request.resume, request.thread);
  const { outputSchema } = request;
  const { events } = await thread.runStreamed(request.input, {
    ...(outputSchema === undefined ? {} : { outputSchema }),
    signal,
  });
  for await (const event of events) process.stdout.write(`${JSON.stringify(event)}\n`);
}

const abort = new AbortController();
process.once('SIGINT', () => abort.abort());
main(abort.signal).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = abort.signal.aborted ? 130 : 1;
});
