import { dirname, resolve } from 'node:path';
import { isInside } from '@baton/config/paths/is-inside';
import { isProtected } from '@baton/config/paths/protected-paths';
import { resolveLinks } from '@baton/config/paths/resolve-links';
import { array, type Json, object, string } from '@baton/config/values/json';
import type { PermissionScope } from '@baton/protocol/values';
import { AllowedTools, EDITORS, READERS } from './allowed-tools.ts';

/** Tools that only think, plan, delegate or ask; the tools of a sub-agent reach the hook themselves. */
const HARMLESS = new Set([
  'Agent',
  'AskUserQuestion',
  'EnterPlanMode',
  'ExitPlanMode',
  'SendMessage',
  'StructuredOutput',
  'Task',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskOutput',
  'TaskStop',
  'TaskUpdate',
  'TodoWrite',
  'ToolSearch',
]);

/** Patterns with a way up, or from the root or a home folder, in one of their parts: `{x,..}`, `@(/etc|x)`, `[.][.]`. */
const HIDES_A_WAY_OUT = /[{(,|]\s*(?:[/~]|\.\.)|\.\..*[{(]|[{(].*\.\.|\[[^\]]*[./~][^\]]*\]/;

/** `ask`: wait for a person. `allow`: a person has allowed it. Nothing: Claude's own rules decide. */
export type HookDecision = 'ask' | 'allow' | undefined;

type HookOptions = {
  cwd: string;
  /** Tool rules that the caller allowed in advance, in Claude's syntax. */
  allowedTools?: readonly string[] | undefined;
  /** Paths that are protected beside the built-in list. */
  protectedPaths?: readonly string[] | undefined;
  /** True if the user trusted the folder: only then do the rules in its settings count. */
  trusted?: boolean | undefined;
  /** Folder in which Claude keeps its plans. */
  plans?: string | undefined;
};

/**
 * Decides before every tool call whether Claude must ask, whatever its settings allow: everything waits for a
 * person but reading in the workspace, what the caller allowed beforehand and what a person has allowed for longer.
 */
export class PermissionHook {
  /** True if an answer can be saved in the folder's settings, which count only in a trusted folder. */
  readonly canRemember: boolean;
  #cwd: string;
  #protectedPaths: readonly string[];
  #allowed: AllowedTools;
  #granted = new Set<string>();
  #remembered = new Set<string>();
  #editsGranted = false;
  #plans: string | undefined;

  constructor({
    cwd,
    allowedTools = [],
    protectedPaths = [],
    trusted = false,
    plans,
  }: HookOptions) {
    this.#cwd = cwd;
    this.#plans = plans;
    this.#protectedPaths = protectedPaths;
    this.#allowed = new AllowedTools(allowedTools, cwd);
    this.canRemember = trusted;
  }

  /** Decides about one call, as Claude's hook describes it. */
  decide(call: Json): HookDecision {
    const tool = string(call.tool_name) ?? '';
    const input = object(call.tool_input);
    if (HARMLESS.has(tool)) return undefined;
    // In plan mode Claude itself allows this file alone, and asks about the plan in it.
    if (EDITORS.has(tool) && call.permission_mode === 'plan' && this.#isPlan(input))
      return undefined;
    if (EDITORS.has(tool) && this.#editsProtected(input)) return 'ask';
    if (this.#allowed.covers(tool, input)) return undefined;
    if (READERS.has(tool) && this.#readsHere(tool, input, string(call.session_id)))
      return undefined;
    if (EDITORS.has(tool)) return this.#editsGranted ? undefined : 'ask';
    const rule = ruleOf(tool, input);
    if (rule === undefined) return 'ask';
    if (this.#granted.has(rule)) return 'allow';
    return this.#remembered.has(rule) ? undefined : 'ask';
  }

  /** Records an answer with a longer scope, and returns the permission updates for Claude. */
  grant(tool: string, input: Json, scope: PermissionScope): Json[] {
    if (scope === 'once') return [];
    if (EDITORS.has(tool)) {
      this.#editsGranted = true;
      return [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }];
    }
    const rule = ruleOf(tool, input);
    if (rule === undefined) return [];
    this.#granted.add(rule);
    if (scope !== 'always' || !this.canRemember || !canBeRemembered(rule)) return [];
    const ruleContent = /^\w+\((.*)\)$/s.exec(rule)?.[1];
    const rules = [
      ruleContent === undefined ? { toolName: tool } : { toolName: tool, ruleContent },
    ];
    return [{ type: 'addRules', rules, behavior: 'allow', destination: 'localSettings' }];
  }

  /** Reads the rules saved for this workspace, but only in a trusted one: anyone could have written them. */
  learn(settings: Json): void {
    if (!this.canRemember) return;
    for (const source of array(settings.sources).map(object)) {
      if (source.source !== 'localSettings') continue;
      const { allow } = object(object(source.settings).permissions);
      for (const rule of array(allow)) if (typeof rule === 'string') this.#remembered.add(rule);
    }
  }

  #editsProtected(input: Json): boolean {
    const path = string(input.file_path) ?? string(input.notebook_path);
    return path === undefined || isProtected(this.#cwd, path, this.#protectedPaths);
  }

  #isPlan({ file_path: path }: Json): boolean {
    if (typeof path !== 'string' || this.#plans === undefined) return false;
    const real = resolveLinks(this.#cwd, path);
    return (
      real !== undefined && dirname(real) === resolveLinks('/', this.#plans) && real.endsWith('.md')
    );
  }

  #readsHere(tool: string, input: Json, sessionId: string | undefined): boolean {
    const paths = [input.file_path, input.notebook_path, input.path];
    if (tool === 'Glob') paths.push(input.pattern);
    return paths.every((path) => {
      if (typeof path !== 'string') return true;
      if (tool === 'Glob' && HIDES_A_WAY_OUT.test(path)) return false;
      if (isInside(this.#cwd, path, { orEqual: true })) return true;
      // Claude keeps long tool output in files of the session and reads them later.
      const real = resolveLinks('/', resolve(this.#cwd, path));
      return sessionId !== undefined && (real?.includes(`/${sessionId}/`) ?? false);
    });
  }
}

/** Returns the scopes that an answer about this call can have. */
export function scopesOf(tool: string, input: Json, canRemember: boolean): PermissionScope[] {
  if (EDITORS.has(tool)) return ['once', 'session'];
  const rule = ruleOf(tool, input);
  if (rule === undefined) return ['once'];
  return canRemember && canBeRemembered(rule) ? ['once', 'session', 'always'] : ['once', 'session'];
}

/** Returns the rule that an answer with a longer scope covers, in the syntax of Claude's own rules. */
function ruleOf(tool: string, input: Json): string | undefined {
  if (tool.startsWith('mcp__') || tool === 'WebSearch') return tool;
  if (tool === 'Bash' && !input.dangerouslyDisableSandbox) return wrapped('Bash', input.command);
  if (tool === 'WebFetch') return wrapped('WebFetch', domainOf(string(input.url)));
  return READERS.has(tool) ? wrapped('Read', input.file_path) : undefined;
}

function wrapped(tool: string, content: unknown): string | undefined {
  return typeof content === 'string' && content !== '' ? `${tool}(${content})` : undefined;
}

function domainOf(url: string | undefined): string | undefined {
  return url && URL.canParse(url) ? `domain:${new URL(url).hostname}` : undefined;
}

// In a rule, a star is a pattern and brackets are escaped: such a rule would mean more, or something else.
function canBeRemembered(rule: string): boolean {
  return !rule.startsWith('Read(') && /^[\w-]+(\([^*()\\\n]+\))?$/.test(rule);
}
