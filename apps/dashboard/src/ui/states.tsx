import type { ComponentChildren } from 'preact';
import { errorText } from '../api/error-text.ts';
import type { Resource } from '../api/use-resource.ts';
import { texts } from '../texts/en.ts';
import { Button } from './button.tsx';

export function LoadingState({ text = texts.common.loading }: { text?: string }) {
  return (
    <p class="state state-loading" role="status">
      {text}
    </p>
  );
}

interface EmptyStateProps {
  title: string;
  text?: ComponentChildren;
  /** Button that helps the user to continue, for example by creating the first item. */
  action?: ComponentChildren;
}

export function EmptyState({ title, text, action }: EmptyStateProps) {
  return (
    <div class="state">
      <p class="state-title">{title}</p>
      {text !== undefined && <p>{text}</p>}
      {action}
    </div>
  );
}

export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div class="state state-error" role="alert">
      <p class="state-title">{errorText(error)}</p>
      {onRetry !== undefined && <Button onClick={onRetry}>{texts.common.retry}</Button>}
    </div>
  );
}

interface ResourceViewProps<T> {
  resource: Resource<T>;
  children: (value: T) => ComponentChildren;
}

/**
 * Shows the value of a resource, a loading message, or the error. A loaded value stays visible while the resource is
 * loading again, and also if this fails.
 */
export function ResourceView<T>({ resource, children }: ResourceViewProps<T>) {
  const { state, value, error, reload } = resource;
  return (
    <>
      {state === 'error' && <ErrorState error={error} onRetry={reload} />}
      {state === 'loading' && <LoadingState />}
      {value !== undefined && children(value)}
    </>
  );
}
