import type { AgentMcpServer } from '@baton/client';
import { useState } from 'react';
import { troubleOf } from '../../data/attempt.ts';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { Badge } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { Row } from '../../design/rows.tsx';
import { some } from '../../text/amounts.ts';
import { fieldsOf } from './server-config.ts';

type Props = {
  backend: string;
  server: AgentMcpServer;
  onCopy: () => void;
  onRemove: () => void;
};

/** A server of an agent's own file: anyone who may run tasks can check it, owners can change it. */
export function AgentServer({ backend, server, onCopy, onRemove }: Props) {
  const { client } = useDaemon();
  const mayChange = useMay('owner');
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<{ isGood: boolean; words: string }>();
  const { name, kind, config, enabled } = server;
  const { command, args, url } = fieldsOf(config);
  const secrets = Object.keys({ ...Object(config.env), ...Object(config.headers) }).length;
  const check = async () => {
    setBusy(true);
    setOutcome(await checked(() => client.agentMcpServers.check({ backend, name })));
    setBusy(false);
  };
  return (
    <Row
      title={<span dir="auto">{name}</span>}
      badges={!enabled && <Badge>off</Badge>}
      facts={[
        kind ?? 'not understood',
        kind && (
          <code key="what">
            {kind === 'stdio' ? [command, ...args.split('\n')].join(' ').trim() : url}
          </code>
        ),
        secrets > 0 && some(secrets, kind === 'stdio' ? 'variable' : 'header'),
      ]}
      actions={
        <>
          {kind && (
            <Button small busy={busy} onClick={check} aria-label={`Check ${name}`}>
              Check
            </Button>
          )}
          {mayChange && kind && (
            <Button small onClick={onCopy} aria-label={`Copy ${name}`}>
              Copy
            </Button>
          )}
          {mayChange && (
            <IconButton small icon="trash" label={`Remove ${name}`} onClick={onRemove} />
          )}
        </>
      }
    >
      <p role="status" dir="auto">
        {outcome && (
          <>
            <Badge tone={outcome.isGood ? 'good' : 'bad'}>
              {outcome.isGood ? 'works' : 'failed'}
            </Badge>{' '}
            {outcome.words}
          </>
        )}
      </p>
    </Row>
  );
}

type Report = { protocol: string; tools: readonly { name: string }[] };

async function checked(check: () => Promise<Report>): Promise<{ isGood: boolean; words: string }> {
  try {
    const { protocol, tools } = await check();
    const names = tools.map((tool) => tool.name).join(', ');
    const words = `${some(tools.length, 'tool')}${names ? `: ${names}` : ''}. Protocol ${protocol}.`;
    return { isGood: true, words };
  } catch (error) {
    const { message, hint } = troubleOf(error);
    return { isGood: false, words: [message, hint].filter(Boolean).join(' ') };
  }
}
