import { showUnseenInText } from '@baton/protocol';
import type { Tokens as Marked, MarkedToken, Token } from 'marked';
import { Fragment, type ReactNode } from 'react';
import { CodeBlock } from './code-block.tsx';
import { withoutEntities } from './entities.ts';
import { List } from './list.tsx';
import styles from './markdown.module.css';
import { safeLink } from './safe-link.ts';
import { Table } from './table.tsx';

/** Markdown as elements of the page; HTML in it is only text. What turns the direction of writing is a mark, as in requests. */
export function Tokens({ tokens }: { tokens: readonly Token[] | undefined }): ReactNode {
  return tokens?.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no name, and none moves
    <Fragment key={index}>{elementOf(token as MarkedToken)}</Fragment>
  ));
}

function elementOf(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return <Heading token={token} />;
    case 'paragraph':
      return (
        <p dir="auto">
          <Tokens tokens={token.tokens} />
        </p>
      );
    case 'code':
      return <CodeBlock text={token.text} language={token.lang} />;
    case 'blockquote':
      return (
        <blockquote>
          <Tokens tokens={token.tokens} />
        </blockquote>
      );
    case 'list':
      return <List list={token} />;
    case 'table':
      return <Table table={token} />;
    case 'hr':
      return <hr />;
    case 'html':
      return token.block ? (
        <p className={styles.html}>{showUnseenInText(token.raw.trim())}</p>
      ) : (
        showUnseenInText(token.raw)
      );
    case 'text':
      return token.tokens ? (
        <Tokens tokens={token.tokens} />
      ) : (
        showUnseenInText(withoutEntities(token.text))
      );
    case 'escape':
      return showUnseenInText(token.text);
    case 'strong':
      return (
        <strong>
          <Tokens tokens={token.tokens} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Tokens tokens={token.tokens} />
        </em>
      );
    case 'del':
      return (
        <del>
          <Tokens tokens={token.tokens} />
        </del>
      );
    case 'codespan':
      return <code>{showUnseenInText(token.text)}</code>;
    case 'br':
      return <br />;
    case 'checkbox':
      return null;
    case 'link':
      return (
        <SafeLink href={token.href}>
          <Tokens tokens={token.tokens} />
        </SafeLink>
      );
    case 'image':
      // An external image would reveal the viewer to its server.
      return <SafeLink href={token.href}>{showUnseenInText(token.text || token.href)}</SafeLink>;
    default:
      return showUnseenInText(token.raw);
  }
}

function SafeLink({ href, children }: { href: string; children: ReactNode }) {
  const address = safeLink(href);
  if (address === undefined) return <span title={showUnseenInText(href)}>{children}</span>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** Headings in agent output are one level below those of the page. */
function Heading({ token: { depth, tokens } }: { token: Marked.Heading }) {
  const Level = `h${Math.min(6, depth + 2)}` as 'h3' | 'h4' | 'h5' | 'h6';
  return (
    <Level dir="auto" data-depth={depth}>
      <Tokens tokens={tokens} />
    </Level>
  );
}
