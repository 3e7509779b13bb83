import type { ChainsFileRecord } from '@baton/client';
import { useState } from 'react';
import { troubleOf } from '../../data/attempt.ts';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { makeStale } from '../../data/queries.ts';
import { Button } from '../../design/button.tsx';
import { Icon } from '../../design/icon.tsx';
import { LiteralText } from '../../design/literal-text.tsx';
import { Trouble } from '../../design/trouble.tsx';
import { Untruncated } from '../../design/untruncated.tsx';
import styles from './file.module.css';

type Props = {
  file: ChainsFileRecord;
  /** The id of the element that says why its chains cannot run. */
  reasonId: string;
};

/** The permissions that a chains file gives to its agents, and the button that trusts its current content. */
export function TrustFile({ file: { file, hash, widened }, reasonId }: Props) {
  const { client } = useDaemon();
  const may = useMay('member');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const trust = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await client.chains.trust({ file, hash });
    } catch (problem) {
      setError(problem);
    }
    // A file that changed is shown as it is now.
    makeStale('chains');
    setBusy(false);
  };
  return (
    <section className={styles.trust} aria-label="Trust">
      <p className={styles.reason} id={reasonId}>
        <Icon name="shield" />
        {may
          ? 'Review this file, then trust it to run its chains. If it changes, you are asked again.'
          : 'Its chains cannot run until a member trusts this file.'}
      </p>
      {widened.length === 0 ? (
        <p>It gives its agents no additional permissions.</p>
      ) : (
        <>
          <p>It gives its agents these permissions:</p>
          <ul className={styles.rights}>
            {widened.map(({ chain, step, what, value }) => (
              <li key={`${chain}/${step}/${what}`}>
                <span className={styles.where}>
                  <LiteralText text={step === '' ? chain : `${chain} → ${step}`} />
                </span>
                <span>
                  {what}: <Untruncated text={value} />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {error !== undefined && <Trouble {...troubleOf(error)} />}
      {may && (
        <div>
          <Button look="primary" icon="shield" busy={busy} onClick={trust}>
            Trust this file
          </Button>
        </div>
      )}
    </section>
  );
}
