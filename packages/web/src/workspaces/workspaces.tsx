import type { ListedWorkspace } from '@baton/client';
import { useState } from 'react';
import { Link } from 'wouter';
import { attempt } from '../data/attempt.ts';
import { useDaemon, useMay } from '../data/daemon.tsx';
import { useNow } from '../data/now.ts';
import { makeStale, useRecords } from '../data/queries.ts';
import { QueryResult } from '../data/query-result.tsx';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { CopyButton } from '../design/copy-button.tsx';
import { Empty } from '../design/empty.tsx';
import { LiteralText } from '../design/literal-text.tsx';
import { PageFrame, Section } from '../design/page-frame.tsx';
import { Row, Rows } from '../design/rows.tsx';
import { DevServerButton, DevServerState } from '../scripts/dev-server.tsx';
import { SetupButton } from '../scripts/setup-button.tsx';
import { useScripts } from '../scripts/use-scripts.ts';
import { useTitle } from '../shell/attention.ts';
import { bytes, some } from '../text/amounts.ts';
import { timeAgo } from '../text/time.ts';
import { RemoveDialog } from './remove-dialog.tsx';

/** Sizes and changes are read from the disk each time. */
const POLL_MS = 15_000;

/** The worktrees of agents, with their branch, change and size. */
export function Workspaces() {
  useTitle('Workspaces');
  const query = useRecords(['workspaces'], (client) => client.workspaces.find(), {
    everyMs: POLL_MS,
    onReturn: true,
  });
  return (
    <PageFrame title="Workspaces">
      <QueryResult query={query}>
        {(all) => (
          <>
            <Section title="Worktrees" about={sumOf(all)}>
              <List
                label="Worktrees"
                workspaces={all.filter(({ state }) => state !== 'removed')}
                empty={
                  <Empty icon="fork" title="No worktrees">
                    A task on a Git folder works in a worktree of its own. It shows up here.
                  </Empty>
                }
              />
            </Section>
            <Removed workspaces={all.filter(({ state }) => state === 'removed')} />
          </>
        )}
      </QueryResult>
    </PageFrame>
  );
}

function sumOf(all: readonly ListedWorkspace[]): string {
  const present = all.filter(({ status }) => status !== null);
  const sum = present.reduce((total, { status }) => total + (status?.bytes ?? 0), 0);
  const unsaved = present.filter(({ status }) => (status?.unsaved.length ?? 0) > 0).length;
  const words = `${some(present.length, 'worktree')}, ${bytes(sum)}`;
  return unsaved === 0 ? words : `${words}; ${unsaved} with work that is nowhere else`;
}

function Removed({ workspaces }: { workspaces: readonly ListedWorkspace[] }) {
  if (workspaces.length === 0) return null;
  return (
    <Section title="Removed" about="Removed worktrees can be restored for 30 days.">
      <List label="Removed worktrees" workspaces={workspaces} />
    </Section>
  );
}

type ListProps = {
  label: string;
  workspaces: readonly ListedWorkspace[];
  empty?: React.ReactNode;
};

function List({ label, workspaces, empty }: ListProps) {
  return (
    <Rows label={label} empty={empty}>
      {workspaces.map((workspace) => (
        <WorkspaceRow key={workspace.workspace_id} workspace={workspace} />
      ))}
    </Rows>
  );
}

const STATE_WORDS: Readonly<Record<ListedWorkspace['state'], string>> = {
  creating: 'Being created',
  setting_up: 'Being set up',
  ready: 'Ready',
  in_use: 'In use',
  idle: 'Idle',
  merged: 'Merged',
  removable: 'Can be removed',
  removed: 'Removed',
  failed: 'Failed',
};

function WorkspaceRow({ workspace }: { workspace: ListedWorkspace }) {
  const now = useNow();
  const { branch, path, base_ref, state, status, session_id, session_title } = workspace;
  // Those of other machines have no status.
  const scripts = useScripts(workspace.workspace_id, { enabled: status !== null });
  return (
    <Row
      title={<LiteralText text={branch ?? path} />}
      badges={
        <Badge tone={state === 'failed' ? 'bad' : state === 'in_use' ? 'good' : 'neutral'}>
          {STATE_WORDS[state]}
        </Badge>
      }
      facts={[
        session_id && session_title !== null && (
          <Link key="session" href={`/sessions/${session_id}`}>
            {session_title}
          </Link>
        ),
        base_ref && `from ${base_ref}`,
        status && `+${status.additions} −${status.deletions} in ${some(status.files, 'file')}`,
        status?.ahead != null && `${status.ahead} ahead, ${status.behind} behind`,
        status?.bytes != null && bytes(status.bytes),
        `used ${timeAgo(workspace.used_at, now)}`,
        scripts?.dev_server.run && <DevServerState key="dev" scripts={scripts} />,
        <span key="path">
          <LiteralText text={path} /> <CopyButton text={path} label="Copy path" />
        </span>,
      ]}
      actions={
        <>
          {scripts && <SetupButton scripts={scripts} hasFailed={state === 'failed'} />}
          {scripts && <DevServerButton scripts={scripts} />}
          <Actions workspace={workspace} />
        </>
      }
    >
      {workspace.problem}
    </Row>
  );
}

function Actions({ workspace }: { workspace: ListedWorkspace }) {
  const { client } = useDaemon();
  const may = useMay('member');
  const [isAsking, ask] = useState(false);
  const { workspace_id, state } = workspace;
  if (!may) return null;
  if (state === 'removed') {
    const restore = () =>
      attempt(async () => {
        await client.workspaces.restore(workspace_id);
        makeStale('workspaces');
      });
    return (
      <Button small icon="retry" onClick={restore}>
        Restore
      </Button>
    );
  }
  return (
    <>
      <Button small icon="trash" onClick={() => ask(true)}>
        Remove
      </Button>
      {isAsking && <RemoveDialog workspace={workspace} onClose={() => ask(false)} />}
    </>
  );
}
