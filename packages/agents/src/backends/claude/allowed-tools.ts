import nodePath, { resolve } from 'node:path';
import { homeFolder } from '@baton/config/paths/home-folder';
import { isSingleCommand } from '@baton/config/values/command-words';
import { type Json, string } from '@baton/config/values/json';

/** Tools that change files; a rule for `Edit` is for all of them. */
export const EDITORS: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'NotebookEdit', 'Write']);
/** Tools that look at files; a rule for `Read` is for all of them. */
export const READERS: ReadonlySet<string> = new Set(['Glob', 'Grep', 'LS', 'NotebookRead', 'Read']);

type Rule = { tool: string; content: string | undefined };

/** Tool rules that the caller allowed in advance, in Claude's syntax: `Bash`, `Bash(git log:*)`, `mcp__server`, … */
export class AllowedTools {
  #rules: Rule[];
  #cwd: string;

  constructor(rules: readonly string[], cwd: string) {
    this.#rules = rules.map(parsed);
    this.#cwd = cwd;
  }

  /**
   * True if a call may be left to Claude, which has the same rules and decides for itself. A narrow rule stays narrow:
   * a call that does not clearly match it requires approval.
   */
  covers(tool: string, input: Json): boolean {
    return this.#rules.some((rule) => {
      if (!isFor(rule.tool, tool)) return false;
      return rule.content === undefined || this.#matches(rule.content, tool, input);
    });
  }

  #matches(content: string, tool: string, input: Json): boolean {
    if (tool === 'Bash') return commandMatches(content, string(input.command));
    if (tool === 'WebFetch') return hostMatches(content, string(input.url));
    if (!EDITORS.has(tool) && !READERS.has(tool)) return false;
    const path = string(input.file_path) ?? string(input.notebook_path) ?? string(input.path);
    return path !== undefined && this.#pathMatches(content, path);
  }

  #pathMatches(content: string, path: string): boolean {
    const pattern = content.includes('/')
      ? rooted(content, this.#cwd)
      : `${this.#cwd}/**/${content}`;
    // Imported by its name, it would end an old Node before that is told which one Baton needs.
    return nodePath.matchesGlob(resolve(this.#cwd, path), pattern);
  }
}

/** True if the caller allowed every use of a tool. */
export function allowsWholeTool(rules: readonly string[], tool: string): boolean {
  return rules.map(parsed).some((rule) => rule.content === undefined && isFor(rule.tool, tool));
}

function parsed(rule: string): Rule {
  const [, tool = rule, content] = /^([^(]*)\((.*)\)$/s.exec(rule.trim()) ?? [];
  const isWhole = content === undefined || content === '' || content === '*';
  return { tool: tool.trim(), content: isWhole ? undefined : content };
}

function isFor(ruleTool: string, tool: string): boolean {
  if (ruleTool === tool) return true;
  if (ruleTool === 'Edit') return EDITORS.has(tool);
  if (ruleTool === 'Read') return READERS.has(tool);
  // `mcp__server` and `mcp__server__*` are for every tool of that server.
  if (!/^mcp__[^*]+$/.test(ruleTool.replace(/__\*$/, ''))) return false;
  return tool.startsWith(`${ruleTool.replace(/__\*$/, '')}__`);
}

/** `git log:*` and `git log *` are for commands that begin so, anything without a star for exactly this one. */
function commandMatches(content: string, command: string | undefined): boolean {
  if (command === undefined) return false;
  const [, prefix] = /^(.*?)(?::\*| \*)$/s.exec(content) ?? [];
  if (prefix !== undefined && !prefix.includes('*')) {
    return (command === prefix || command.startsWith(`${prefix} `)) && isSingleCommand(command);
  }
  return content === command;
}

function hostMatches(content: string, url: string | undefined): boolean {
  if (url === undefined || !URL.canParse(url)) return false;
  return content === `domain:${new URL(url).hostname}`;
}

/** Claude writes `//` for the root of the machine, `~` for the home folder and `/` for that of the project. */
function rooted(pattern: string, cwd: string): string {
  if (pattern.startsWith('//')) return pattern.slice(1);
  if (pattern.startsWith('~/')) return `${homeFolder()}${pattern.slice(1)}`;
  if (pattern.startsWith('/')) return `${cwd}${pattern}`;
  return resolve(cwd, pattern);
}
