import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Empty } from './empty.tsx';

type Props = {
  children: ReactNode;
  /** The fallback for what failed; by default the error with actions. */
  instead?: ReactNode;
  /** Another value lets it try again. */
  at?: string;
};

type State = { error: unknown; at: string | undefined };

/** Keeps a failure of one part from taking the whole page with it. */
export class Boundary extends Component<Props, State> {
  override state: State = { error: undefined, at: this.props.at };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error };
  }

  static getDerivedStateFromProps({ at }: Props, before: State): Partial<State> | null {
    return at === before.at ? null : { error: undefined, at };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return this.props.instead ?? <Failure error={error} />;
  }
}

function Failure({ error }: { error: unknown }) {
  return (
    <Empty
      icon="warning"
      title="Something went wrong"
      actions={
        <Button look="primary" icon="retry" onClick={() => location.reload()}>
          Reload page
        </Button>
      }
    >
      {String(error)} Your work is safe.
    </Empty>
  );
}
