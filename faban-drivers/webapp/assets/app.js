// SPDX-License-Identifier: Apache-2.0
// Small comforts; every page works without them.
(() => {
  'use strict';

  // suggested tags: a click adds or removes the word
  const tags = document.querySelector('#tags');
  const words = () => tags.value.toLowerCase().split(/[\s,]+/).filter(Boolean);
  const mark = () => {
    const chosen = new Set(words());
    document.querySelectorAll('[data-tag]').forEach((button) => {
      button.setAttribute('aria-pressed', String(chosen.has(button.dataset.tag)));
    });
  };
  if (tags) {
    tags.addEventListener('input', mark);
    document.querySelectorAll('[data-tag]').forEach((button) => button.addEventListener('click', () => {
      const chosen = words();
      const at = chosen.indexOf(button.dataset.tag);
      if (at >= 0) {
        chosen.splice(at, 1);
      } else if (chosen.length < 8) {
        chosen.push(button.dataset.tag);
      }
      tags.value = chosen.join(' ');
      mark();
    }));
    mark();
  }

  // a chosen picture that is too large is refused before it is sent
  const limit = 1024 * 1024;
  document.querySelectorAll('input[type=file][data-preview]').forEach((input) => {
    const note = document.createElement('p');
    note.className = 'hint';
    note.setAttribute('role', 'status');
    input.after(note);
    input.addEventListener('change', () => {
      const file = input.files[0];
      const tooLarge = file && file.size > limit;
      input.setCustomValidity(tooLarge ? 'This image has more than 1 MiB.' : '');
      note.textContent = !file ? '' : `${file.name}, ${Math.ceil(file.size / 1024)} KiB${tooLarge ? ': too large' : ''}`;
    });
  });

  // a form is sent once
  document.querySelectorAll('form[method=post]').forEach((form) => form.addEventListener('submit', () => {
    form.querySelectorAll('button[type=submit]').forEach((button) => {
      button.disabled = true;
    });
    // a page that comes back from the browser's history works again
    window.addEventListener('pageshow', () => form.querySelectorAll('button[type=submit]').forEach((button) => {
      button.disabled = false;
    }), {once: true});
  }));

  // "/" goes to the search field
  document.addEventListener('keydown', (event) => {
    const search = document.querySelector('#search');
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '');
    if (event.key === '/' && search && !typing) {
      event.preventDefault();
      search.focus();
    }
  });

  // days until the events in view
  const day = 86400000;
  const today = Math.floor(Date.now() / day);
  document.querySelectorAll('.card-date time').forEach((time) => {
    const days = Math.floor(Date.parse(`${time.dateTime}Z`) / day) - today;
    if (days >= 0 && days < 14) {
      const badge = document.createElement('span');
      badge.className = 'soon';
      badge.textContent = days === 0 ? 'today' : days === 1 ? 'tomorrow' : `in ${days} days`;
      time.after(' ', badge);
    }
  });
})();
