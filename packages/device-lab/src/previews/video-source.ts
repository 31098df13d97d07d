/** Where the video of one device comes from. */
export interface VideoSource {
  /** As `FrameSource.open`. */
  open(sink: VideoSink): () => void;
}

export interface VideoSink {
  /** One message of the source, as it is. */
  frame(bytes: Uint8Array): void;
  ended(reason: string): void;
}
