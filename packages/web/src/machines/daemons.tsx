import { useNow } from '../data/now.ts';
import { useRecords } from '../data/queries.ts';
import { QueryResult } from '../data/query-result.tsx';
import { Badge } from '../design/badge.tsx';
import { Section } from '../design/page-frame.tsx';
import { Row, Rows } from '../design/rows.tsx';
import { some } from '../text/amounts.ts';
import { duration } from '../text/time.ts';
import { Age } from './age.tsx';
import styles from './machines.module.css';
import { POLLED } from './polled.ts';

const OLD_SIGN_MS = 30_000;

/** The daemons that share the database. */
export function Daemons() {
  const query = useRecords(['daemons'], (client) => client.daemons.find(), POLLED);
  const executors = useRecords(['executors'], (client) => client.executors.find(), POLLED);
  const usedBy = (id: string) =>
    executors.data?.filter(({ daemon_id }) => daemon_id === id).length ?? 0;
  const now = useNow();
  return (
    <Section title="Daemons" about="Daemons on the same database share one queue.">
      <QueryResult query={query}>
        {(daemons) => (
          <Rows label="Daemons">
            {daemons.map(
              ({ daemon_id, host, url, version, slots, alive, started_at, heartbeat_at }) => (
                <Row
                  key={daemon_id}
                  title={host}
                  badges={<Badge tone={alive ? 'good' : 'bad'}>{alive ? 'alive' : 'gone'}</Badge>}
                  facts={[
                    <a key="url" href={url} target="_blank" rel="noopener noreferrer">
                      {url}
                    </a>,
                    `version ${version}`,
                    `${usedBy(daemon_id)} of ${some(slots, 'slot')} in use`,
                    alive && `uptime ${duration(now - Date.parse(started_at))}`,
                  ]}
                  actions={
                    <dl className={styles.ages}>
                      <Age label="Last heartbeat" since={heartbeat_at} oldMs={OLD_SIGN_MS} />
                    </dl>
                  }
                />
              ),
            )}
          </Rows>
        )}
      </QueryResult>
    </Section>
  );
}
