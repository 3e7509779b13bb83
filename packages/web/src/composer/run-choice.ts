import type { PermissionMode, SessionRecord } from '@baton/protocol';

/** The agent, model, mode and options for a prompt. */
export type RunChoice = {
  backend: string;
  /** Empty for the agent's default. */
  model: string;
  permissionMode: PermissionMode;
  options: Record<string, unknown>;
};

type Session = Pick<SessionRecord, 'backend' | 'model' | 'permission_mode'>;

/** Applies a change to a choice; another agent resets the model and the options, which belong to the previous agent. */
export function withChange<Choice extends Partial<RunChoice>>(
  choice: Choice,
  change: Partial<RunChoice>,
): Choice {
  if (change.backend === undefined) return { ...choice, ...change };
  return { ...choice, model: '', options: {}, ...change };
}

/** The session's settings that apply unless the user chooses others. */
export function choiceOf({ backend, model, permission_mode }: Session): RunChoice {
  return { backend, model: model ?? '', permissionMode: permission_mode, options: {} };
}

/** The explicit choices that differ from the session: others may change the rest meanwhile. */
export function ownChoice(session: Session, chosen: Partial<RunChoice>): Partial<RunChoice> {
  const { backend, model, permissionMode } = choiceOf(session);
  const isBack = chosen.backend === backend;
  const differs = {
    backend: !isBack,
    // Going back to the agent of the session restores its model.
    model: chosen.model !== model && !(isBack && chosen.model === ''),
    permissionMode: chosen.permissionMode !== permissionMode,
    options: Object.keys(chosen.options ?? {}).length > 0,
  };
  const entries = Object.entries(chosen).filter(([name]) => differs[name as keyof RunChoice]);
  return Object.fromEntries(entries);
}

/** The settings of the session from now on; options apply to one prompt. */
export function changesFor({ backend, model, permissionMode }: Partial<RunChoice>) {
  return {
    ...(backend === undefined ? {} : { backend }),
    ...(model === undefined ? {} : { model: model || null }),
    ...(permissionMode === undefined ? {} : { permission_mode: permissionMode }),
  };
}
