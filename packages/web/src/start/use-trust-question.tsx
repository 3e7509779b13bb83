import type { FolderTrust } from '@baton/protocol';
import { type ReactNode, useState } from 'react';
import { useDaemon } from '../data/daemon.tsx';
import { makeStale } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { LiteralText } from '../design/literal-text.tsx';

type Asked = { trust: FolderTrust; decide: (decision: boolean | undefined) => void };

/**
 * Asks once, before a session starts in a folder that has settings for its agent, whether the agent may use them. Gives
 * the function that asks, which tells whether to go on, and the dialog to be drawn.
 */
export function useTrustQuestion(
  label: string,
): [ask: (question: { folder: string; backend: string }) => Promise<boolean>, dialog: ReactNode] {
  const { client } = useDaemon();
  const [asked, setAsked] = useState<Asked>();
  const ask = async (question: { folder: string; backend: string }) => {
    const trust = await client.trustedFolders.check(question);
    if (trust.decidedBy !== undefined || trust.settings.length === 0) return true;
    const { promise, resolve } = Promise.withResolvers<boolean | undefined>();
    setAsked({ trust, decide: resolve });
    const trusted = await promise;
    setAsked(undefined);
    if (trusted === undefined) return false;
    await client.trustedFolders.create({ folder: trust.folder, trusted });
    makeStale('trustedFolders');
    return true;
  };
  return [ask, asked && <TrustDialog label={label} {...asked} />];
}

function TrustDialog({ label, trust, decide }: Asked & { label: string }) {
  return (
    <Dialog
      title="Do you trust this folder?"
      open
      onClose={() => decide(undefined)}
      actions={
        <>
          <Button look="quiet" onClick={() => decide(undefined)}>
            Cancel
          </Button>
          <Button onClick={() => decide(false)}>Start without them</Button>
          <Button look="primary" onClick={() => decide(true)}>
            Trust and start
          </Button>
        </>
      }
    >
      <p>
        <LiteralText text={trust.folder} /> has settings for {label}:{' '}
        <LiteralText text={trust.settings.join(', ')} />
      </p>
      <p>
        These settings can start programs on the daemon’s machine and allow tools without asking.
        Trust the folder only if you know who wrote them.
      </p>
    </Dialog>
  );
}
