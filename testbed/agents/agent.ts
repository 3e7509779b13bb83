import { join } from 'node:path';

/** An agent of the testbed. To add one, write its file and name it in `agents.ts`. */
export interface TestbedAgent {
  /** Its npm package. */
  npmPackage: string;
  /** The npm package of its oldest supported release, where that had another name. */
  formerPackage?: string;
  /** Options that every run needs: the model, where nothing else names it, and tools that are off by default. */
  runOptions?: { model: string; providerOptions: Record<string, unknown> };
  /** Its program files in a folder `node_modules`: the native one, and the launcher on a user's PATH if it differs. */
  programsIn(modules: string): { native: string; launcher?: string };
  /** Prepares its home and returns the variables that lead it to the fake model. */
  environment(
    model: { url: string },
    home: string,
    options: AgentEnvironmentOptions,
  ): Promise<Record<string, string>>;
}

export interface AgentEnvironmentOptions {
  /** Number of retries after a failed request; unset, the agent's own (long) default. */
  retries?: number;
  /** Tell Claude Code that it runs in a sandbox, so that root may skip all permissions. */
  sandbox?: boolean;
  /** More lines for Codex's config.toml, such as MCP servers. */
  codexConfig?: string;
}

/** Folder for the temporary files of an agent, some of which it leaves behind. */
export function temporaryFolder(home: string): string {
  return join(home, 'tmp');
}
