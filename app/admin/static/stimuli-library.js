/** The library: a clip plays while it is pointed at or in focus, from its beginning, and rests otherwise. */

for (const video of document.querySelectorAll("[data-clip]")) {
  if (video.controls) continue;
  const play = () => {
    video.play().catch(() => {}); // taken back before it began
  };
  const rest = () => {
    if (video.matches(":hover") || video === document.activeElement) return;
    video.pause();
    video.currentTime = 0;
    if (video.poster) video.load(); // shows the poster again
  };
  video.addEventListener("mouseenter", play);
  video.addEventListener("focus", play);
  video.addEventListener("mouseleave", rest);
  video.addEventListener("blur", rest);
}
