;;; eglot.el --- a person reviews in Emacs with eglot  -*- lexical-binding: t -*-

;; Run as: emacs -Q --batch -l eglot.el, in a folder with a workspace, see
;; scripts/test-plain.sh; BRIDGE names the program.  The choices that a person
;; would make in the minibuffer are made by `choices'.

;;; Code:
(setq native-comp-jit-compilation nil native-comp-enable-subr-trampolines nil)
(require 'eglot)
(require 'flymake)

(defvar choices nil "What is chosen next, in order.")
(defvar asked nil "What was asked, newest first.")

(defun fail (format &rest args)
  "Say FORMAT with ARGS and end the test."
  (message "eglot: %s" (apply #'format format args))
  (message "eglot: asked %S\nbuffer %S\n%S" asked (buffer-string)
           (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))
  (kill-emacs 1))

(defun choose (prompt collection &rest _)
  "Choose the next of `choices' in answer to PROMPT, out of COLLECTION."
  (let* ((titles (all-completions "" collection))
         (choice (pop choices)))
    (push (cons prompt titles) asked)
    (cond ((null choice) (fail "nobody expected to be asked %S of %S" prompt titles))
          ((equal choice "") choice)
          ((member choice titles) choice)
          (t (fail "%S is none of %S" choice titles)))))
(setq completing-read-function #'choose)

(defvar told nil "What the person was told, newest first.")
(cl-defmethod eglot-handle-notification :before (_s (_m (eql window/showMessage)) &key message &allow-other-keys)
  "Remember MESSAGE."
  (push message told))

(defmacro wait-for (what)
  "Wait until WHAT holds, as an Emacs that a person looks at: it is idle."
  `(let ((n 0))
     (while (not ,what)
       (accept-process-output nil 0.1)
       (eglot--signal-textDocument/didChange)
       (when (> (setq n (1+ n)) 900) (fail "waited in vain for %S" ',what)))))

(defun marks ()
  "The messages of the marks in the buffer."
  (flymake-start)
  (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))

(defun act (line title)
  "Choose the code action TITLE on LINE."
  (goto-char (point-min))
  (forward-line (1- line))
  (push title choices)
  (let ((last-nonmenu-event ?a)) ; by a key, not by the mouse
    (eglot-code-actions (point) (point) nil t))
  (when choices (fail "%S was not offered on line %d" title line)))

(defun main ()
  "The story."
  (setq eglot-confirm-server-edits nil eglot-autoshutdown nil eglot-sync-connect 90 jrpc-default-request-timeout 90)
  (find-file (expand-file-name "a.txt"))
  (text-mode)
  (let ((dir default-directory) (bridge (getenv "BRIDGE")))
    (setq-local project-find-functions (list (lambda (_) (cons 'transient dir))))
    (eglot '(text-mode) (cons 'transient dir) 'eglot-lsp-server (list bridge "serve") '("plaintext")))
  (flymake-mode 1)

  ;; Closed without a choice, the question waits at its marks.
  (setq choices '(""))
  (eglot-execute (eglot-current-server) '(:title "Ask" :command "drawbridge.prompt" :arguments ["change it"]))
  (wait-for asked)
  (wait-for (= 2 (length (marks))))
  (act 1 "Accept this hunk")
  (wait-for (seq-some (lambda (m) (string-match-p "accepted, and waits" m)) (marks)))
  (act 9 "Reject this hunk")
  (wait-for (equal (buffer-string) "ONE\n2\n3\n4\n5\n6\n7\n8\nnine\n"))
  (wait-for (null (marks)))
  (unless (buffer-modified-p) (fail "the edit went behind the buffer"))
  (wait-for (member "Drawbridge: Changed as you chose." told))
  (undo-boundary)
  (undo-only)
  (unless (equal (buffer-string) "one\n2\n3\n4\n5\n6\n7\n8\nnine\n") (fail "one undo did not take it back"))

  ;; The next question is answered as a whole.
  (setq asked nil choices '("Reject"))
  (eglot-execute (eglot-current-server) '(:title "Ask" :command "drawbridge.prompt" :arguments ["once more"]))
  (wait-for (member "Drawbridge: Left alone." told))
  (unless asked (fail "nobody was asked"))
  (wait-for (null (marks)))
  (unless (equal (buffer-string) "one\n2\n3\n4\n5\n6\n7\n8\nnine\n") (fail "what was rejected is there"))
  (eglot-shutdown (eglot-current-server))
  (set-buffer-modified-p nil)
  (message "eglot: ok"))

(condition-case err (main)
  (error (fail "%S" err)))
(kill-emacs 0)
;;; eglot.el ends here
