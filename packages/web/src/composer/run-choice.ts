import type { PermissionMode, SessionRecord } from '@baton/protocol';

/** How a prompt shall be carried out. */
export type RunChoice = {
  backend: string;
  /** That of the agent when it is empty. */
  model: string;
  permissionMode: PermissionMode;
  options: Record<string, unknown>;
};

type Session = Pick<SessionRecord, 'backend' | 'model' | 'permission_mode'>;

/** What a choice becomes with a change: another agent knows neither the model nor the options of the one before. */
export function withChange<Choice extends Partial<RunChoice>>(
  choice: Choice,
  change: Partial<RunChoice>,
): Choice {
  if (change.backend === undefined) return { ...choice, ...change };
  return { ...choice, model: '', options: {}, ...change };
}

/** What a session goes on with unless somebody chooses something else. */
export function choiceOf({ backend, model, permission_mode }: Session): RunChoice {
  return { backend, model: model ?? '', permissionMode: permission_mode, options: {} };
}

/** Of what somebody chose, what differs from the session: the rest may be changed by others meanwhile. */
export function ownChoice(session: Session, chosen: Partial<RunChoice>): Partial<RunChoice> {
  const { backend, model, permissionMode } = choiceOf(session);
  const isBack = chosen.backend === backend;
  const differs = {
    backend: !isBack,
    // Whoever goes back to the agent of the session goes back to its model.
    model: chosen.model !== model && !(isBack && chosen.model === ''),
    permissionMode: chosen.permissionMode !== permissionMode,
    options: Object.keys(chosen.options ?? {}).length > 0,
  };
  const entries = Object.entries(chosen).filter(([name]) => differs[name as keyof RunChoice]);
  return Object.fromEntries(entries);
}

/** What the session goes on with from now on; options are for one prompt. */
export function changesFor({ backend, model, permissionMode }: Partial<RunChoice>) {
  return {
    ...(backend === undefined ? {} : { backend }),
    ...(model === undefined ? {} : { model: model || null }),
    ...(permissionMode === undefined ? {} : { permission_mode: permissionMode }),
  };
}
