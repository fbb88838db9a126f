--- Takes files back to what they held before a turn. First a page says what that does
--- to each of them; nothing is done before it is accepted there, and what was done can
--- itself be taken back.

local buffers = require("drawbridge.review.buffers")
local catalogue = require("drawbridge.review.catalogue")
local client = require("drawbridge.client")
local say = require("drawbridge.say")
local state = require("drawbridge.state")
require("drawbridge.highlights")

local M = {}

local namespace = vim.api.nvim_create_namespace("drawbridge_rewind")

---@class (exact) drawbridge.RewindTarget What a person wants taken back.
---@field sessionId string
---@field checkpointId? string Absent: everything.
---@field only? boolean
---@field doubtful? boolean Also files that may have been changed by somebody else.
---@field undo? "undone"|"again" What is taken back is a rewind, or the undo of one.
---@field title string

---@class (exact) drawbridge.RewindView
---@field buf integer
---@field target drawbridge.RewindTarget
---@field digest string
---@field files drawbridge.RewindFile[]
---@field busy? boolean The rewind is under way.
---@field done? boolean It was done; the page says what became of each file.

---@type drawbridge.RewindView?
local view

---@param err drawbridge.Error
---@return string
local function reason(err)
  if err.kind == "turnRunning" then
    return "a turn runs; :Drawbridge stop ends it"
  end
  return err.message .. (err.hint and err.hint ~= "" and " (" .. err.hint .. ")" or "")
end

--- How each state is spoken of, for what will be done and what was.
---@type table<drawbridge.RewindState, string[]>
local verbs = {
  restore = { "restore", "restored" },
  merge = { "merge", "merged" },
  conflict = { "leave", "left" },
  unchanged = { "unchanged", "unchanged" },
  unkept = { "leave", "left" },
  doubtful = { "leave", "left" },
}

---@param file drawbridge.RewindFile
---@param done boolean
---@return string
local function verb(file, done)
  local which = done and 2 or 1
  if file.state == "restore" and file.kind == "delete" then
    return ({ "remove", "removed" })[which]
  end
  return verbs[file.state][which]
end

---@param file drawbridge.RewindFile
---@return string
local function about(file)
  if file.state == "merge" then
    return "what was changed since stays" .. (file.why and "; " .. file.why or "")
  elseif file.state == "unchanged" then
    return "holds it already"
  elseif file.state == "conflict" then
    return file.why or "the same lines were changed since"
  end
  return file.why or (file.state == "unkept" and "what it held was not kept" or "")
end

---@param file drawbridge.RewindFile
---@return boolean
local function acts(file)
  return file.state == "restore" or file.state == "merge"
end

---@param file drawbridge.RewindFile
---@param done boolean
---@return string
local function headline(file, done)
  local plus, minus = file.plus or 0, file.minus or 0
  local size = (plus > 0 or minus > 0) and ("  +%d −%d"):format(plus, minus) or ""
  local more = about(file)
  local name = buffers.short(vim.uri_to_fname(file.uri))
  return ("%-9s %s%s%s"):format(verb(file, done), name, size, more ~= "" and "  " .. more or "")
end

---@param line string
---@return string?
local function diff_group(line)
  local first = line:sub(1, 1)
  return first == "+" and "DrawbridgeAddLine" or first == "-" and "DrawbridgeDeleteLine" or "DrawbridgeMuted"
end

---@class (exact) drawbridge.RewindPage
---@field lines string[]
---@field groups table<integer, string> By line, from 1.
---@field folds { [1]: integer, [2]: integer }[]

---@param file drawbridge.RewindFile
---@param done boolean
---@param page drawbridge.RewindPage
local function add_file(file, done, page)
  table.insert(page.lines, headline(file, done))
  page.groups[#page.lines] = acts(file) and "DrawbridgeTool"
    or file.state == "unchanged" and "DrawbridgeMuted"
    or file.state == "doubtful" and "DrawbridgeWaiting"
    or "DrawbridgeError"
  local first = #page.lines + 1
  for _, line in ipairs(buffers.lines(file.diff or "")) do
    table.insert(page.lines, line)
    page.groups[#page.lines] = diff_group(line)
  end
  if #page.lines >= first then
    table.insert(page.folds, { first, #page.lines })
  end
end

---@param now drawbridge.RewindView
---@return drawbridge.RewindPage
local function page_of(now)
  local done = now.done or false
  ---@type drawbridge.RewindPage
  local page = { lines = { now.target.title, "" }, groups = { "DrawbridgePrompt" }, folds = {} }
  for _, file in ipairs(now.files) do
    add_file(file, done, page)
  end
  if #now.files == 0 then
    table.insert(page.lines, "No file is to be taken back.")
  end
  return page
end

---@param file drawbridge.RewindFile
---@return boolean
local function in_doubt(file)
  return file.state == "doubtful"
end

-- What can be done in the page, in so many cells.
---@param now drawbridge.RewindView
---@param cells integer
---@return string
local function how(now, cells)
  local acting, doubtful = vim.iter(now.files):any(acts), vim.iter(now.files):any(in_doubt)
  if now.done then
    return say.widest(cells, { ":Drawbridge rewind undo takes this back · :q leaves", "back: :Drawbridge rewind undo" })
  elseif not acting and not doubtful then
    return say.widest(cells, { "there is nothing to do · :q leaves", "nothing to do" })
  end
  local with = doubtful and "those in doubt too: :Drawbridge accept!" or nil
  local list = acting and { "do it: :Drawbridge accept", with } or { with }
  local full = table.concat(list, " · ")
  return say.widest(cells, {
    full .. " · leave all as it is: :Drawbridge reject",
    full .. " · leave: :q",
    full,
    ":Drawbridge accept" .. (doubtful and ", accept!" or ""),
  })
end

-- The diffs lie in folds, closed.
---@param win integer
---@param page drawbridge.RewindPage
local function fold(win, page)
  vim.wo[win].foldmethod, vim.wo[win].foldenable, vim.wo[win].foldminlines = "manual", true, 0
  vim.wo[win].foldtext = "'   … ' . (v:foldend - v:foldstart + 1) . ' lines of diff; zo opens'"
  vim.wo[win].wrap = false
  vim.api.nvim_win_call(win, function()
    vim.cmd("silent! normal! zE")
    for _, lines in ipairs(page.folds) do
      vim.cmd(("%d,%dfold"):format(lines[1], lines[2]))
    end
  end)
end

---@param now drawbridge.RewindView
local function draw(now)
  local page = page_of(now)
  buffers.fill(now.buf, page.lines)
  vim.api.nvim_buf_clear_namespace(now.buf, namespace, 0, -1)
  for i, group in pairs(page.groups) do
    vim.api.nvim_buf_set_extmark(now.buf, namespace, i - 1, 0, { end_col = #page.lines[i], hl_group = group })
  end
  for _, win in ipairs(vim.fn.win_findbuf(now.buf)) do
    local text = how(now, vim.api.nvim_win_get_width(win) - #" rewind  ")
    local bar = "%#DrawbridgeHint# rewind %*%=%#DrawbridgeMuted#" .. text:gsub("%%", "%%%%") .. " "
    vim.api.nvim_set_option_value("winbar", bar, { win = win, scope = "local" })
    fold(win, page)
  end
end

---@param now drawbridge.RewindView
local function close(now)
  if vim.api.nvim_buf_is_valid(now.buf) then
    vim.api.nvim_buf_delete(now.buf, { force = true })
  end
end

---@param now drawbridge.RewindView
local function gone(now)
  if view == now then
    view = nil
    if not now.done and not now.busy and vim.v.exiting == vim.NIL then
      say.info("nothing was taken back")
    end
  end
end

---@param target drawbridge.RewindTarget
---@param result drawbridge.CheckpointPreviewResult
local function open(target, result)
  if view then
    view.done = true -- nothing is said of the one that this replaces
    close(view)
  end
  local buf = buffers.virtual({
    name = "rewind",
    lines = {},
    path = "",
    why = "this only says what a rewind does; :Drawbridge accept does it",
  })
  vim.bo[buf].bufhidden = "wipe"
  ---@type drawbridge.RewindView
  local now = { buf = buf, target = target, digest = result.digest, files = result.files }
  view = now
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    callback = vim.schedule_wrap(function()
      gone(now)
    end),
  })
  vim.cmd("tabnew")
  local blank = vim.api.nvim_get_current_buf()
  vim.api.nvim_win_set_buf(0, buf)
  pcall(vim.api.nvim_buf_delete, blank, {})
  draw(now)
end

---@param target drawbridge.RewindTarget
---@return drawbridge.CheckpointPreviewParams
local function params_of(target)
  return {
    sessionId = target.sessionId,
    checkpointId = target.checkpointId,
    only = target.only,
    doubtful = target.doubtful,
  }
end

---@param target drawbridge.RewindTarget
---@param cb fun(result: drawbridge.CheckpointPreviewResult)
local function preview(target, cb)
  client.request("checkpoint/preview", params_of(target), function(err, result)
    if err then
      say.error("nothing can be taken back: " .. reason(err))
    else
      cb(result)
    end
  end)
end

---@param n integer
---@return string
local function files_in_words(n)
  return n == 1 and "1 file" or n .. " files"
end

-- What was done, and what undoing that would do.
---@type table<string, [string, string]>
local ends = {
  rewound = { "%s taken back", "brings that back" },
  undone = { "the rewind is undone: %s as before it", "rewinds again" },
  again = { "rewound again: %s taken back", "brings that back" },
}

---@param now drawbridge.RewindView
---@param result drawbridge.CheckpointRestoreResult
local function finished(now, result)
  local taken, left = 0, 0
  for _, file in ipairs(result.files) do
    if file.state == "restore" and file.kind == "delete" then
      buffers.let_go(vim.uri_to_fname(file.uri))
    elseif file.state == "restore" and file.kind == "create" then
      require("drawbridge.documents").brought_back(vim.uri_to_fname(file.uri))
    end
    taken = taken + (acts(file) and 1 or 0)
    left = left + (not acts(file) and file.state ~= "unchanged" and 1 or 0)
  end
  now.done, now.files = true, result.files
  if left == 0 then
    close(now)
  elseif vim.api.nvim_buf_is_valid(now.buf) then
    draw(now)
  end
  local rest = left > 0 and (", %s left alone"):format(files_in_words(left)) or ""
  local said = ends[now.target.undo or "rewound"]
  local again = result.checkpointId and "; :Drawbridge rewind undo " .. said[2] or ""
  say.info(said[1]:format(files_in_words(taken)) .. rest .. again)
end

---@param now drawbridge.RewindView
---@param tell fun() Says why.
local function show_anew(now, tell)
  preview(now.target, function(result)
    if view == now and vim.api.nvim_buf_is_valid(now.buf) then
      now.digest, now.files = result.digest, result.files
      draw(now)
      tell()
    end
  end)
end

-- Shows what the rewind would do if what is in doubt were the agent's.
---@param now drawbridge.RewindView
local function include_doubtful(now)
  now.target.doubtful = true
  now.target.title = now.target.title .. ", with what may be somebody else's"
  show_anew(now, function()
    say.info("this takes those in doubt back, too; :Drawbridge accept does it")
  end)
end

---@param now drawbridge.RewindView
local function restore(now)
  now.busy = true
  local params = vim.tbl_extend("force", params_of(now.target), { digest = now.digest })
  local save = require("drawbridge.documents").saving()
  client.request("checkpoint/restore", params, function(err, result)
    now.busy = nil
    save()
    if not err then
      finished(now, result)
    elseif err.kind == "stale" then
      show_anew(now, function()
        say.warn("a file has changed meanwhile; this is what a rewind would do now")
      end)
    else
      say.error("nothing was taken back: " .. reason(err))
    end
  end)
end

---@param buf integer
---@return drawbridge.RewindView?
local function of(buf)
  return view and view.buf == buf and view or nil
end

--- Does what the page in a buffer says; false when the buffer is no such page.
---@param buf integer
---@param all? boolean Those in doubt, too: they are shown first.
---@return boolean
function M.accept(buf, all)
  local now = of(buf)
  if not now then
    return false
  elseif now.done or now.busy then
    say.info(now.done and "that is done" or "that is being done")
  elseif all and not now.target.doubtful and vim.iter(now.files):any(in_doubt) then
    include_doubtful(now)
  elseif vim.iter(now.files):any(acts) then
    restore(now)
  elseif vim.iter(now.files):any(in_doubt) then
    say.info("all of it may be somebody else's; :Drawbridge accept! takes it back all the same")
  else
    say.info("there is nothing to take back")
  end
  return true
end

--- Leaves all as it is; false when the buffer is no page of a rewind.
---@param buf integer
---@return boolean
function M.reject(buf)
  local now = of(buf)
  if now then
    close(now)
  end
  return now ~= nil
end

---@param checkpoint drawbridge.Checkpoint
---@return string
local function name_of(checkpoint)
  if checkpoint.rewindTo then
    return "the " .. checkpoint.title:sub(1, 1):lower() .. checkpoint.title:sub(2)
  end
  return ("%s: %s"):format(checkpoint.turnId or checkpoint.checkpointId, checkpoint.title)
end

---@param checkpoint drawbridge.Checkpoint
---@return string
local function label(checkpoint)
  local when = os.date("%H:%M", math.floor(checkpoint.createdAt / 1000))
  return ("%s  (%s, %s)"):format(name_of(checkpoint), files_in_words(#checkpoint.files), when)
end

---@param session_id string
---@param checkpoint? drawbridge.Checkpoint
---@param only? boolean
---@param undo? "undone"|"again"
local function look(session_id, checkpoint, only, undo)
  if checkpoint and checkpoint.gone then
    say.warn("what the files held before " .. name_of(checkpoint) .. " is not kept any more")
    return
  end
  local title = "Back to before the agent's first change"
  if checkpoint then
    title = (undo and "Undo of " or only and "Without what came by " or "Back to before ") .. name_of(checkpoint)
  end
  ---@type drawbridge.RewindTarget
  local target = {
    sessionId = session_id,
    checkpointId = checkpoint and checkpoint.checkpointId,
    only = only or nil,
    undo = undo,
    title = title,
  }
  preview(target, function(result)
    open(target, result)
  end)
end

-- The first checkpoint of a turn, or of one after it: a turn that wrote nothing left
-- the files as it found them.
---@param checkpoints drawbridge.Checkpoint[]
---@param turn_id string
---@param only? boolean
---@return drawbridge.Checkpoint?
local function of_turn(checkpoints, turn_id, only)
  local c, after = state.current(), { [turn_id] = true }
  local reached = false
  for _, item in ipairs(c and c.items or {}) do
    reached = reached or item.turnId == turn_id
    if reached and not only then
      after[item.turnId] = true
    end
  end
  for _, checkpoint in ipairs(checkpoints) do
    if checkpoint.turnId and after[checkpoint.turnId] then
      return checkpoint
    end
  end
end

---@param checkpoints drawbridge.Checkpoint[]
---@return drawbridge.Checkpoint?
local function last_rewind(checkpoints)
  for i = #checkpoints, 1, -1 do
    if checkpoints[i].rewindTo then
      return checkpoints[i]
    end
  end
end

---@param checkpoints drawbridge.Checkpoint[]
---@param rewind drawbridge.Checkpoint
---@return "undone"|"again"
local function kind_of_undo(checkpoints, rewind)
  local of_undo = vim.iter(checkpoints):any(function(checkpoint)
    return checkpoint.checkpointId == rewind.rewindTo and checkpoint.rewindTo ~= nil
  end)
  return of_undo and "again" or "undone"
end

---@param session_id string
---@param checkpoints drawbridge.Checkpoint[]
---@param only? boolean
local function pick(session_id, checkpoints, only)
  local newest_first = vim.iter(checkpoints):rev():totable()
  vim.ui.select(newest_first, {
    prompt = only and "Take back which turn alone?" or "Back to before which turn?",
    kind = "drawbridge_checkpoint",
    format_item = label,
  }, function(checkpoint)
    if checkpoint then
      look(session_id, checkpoint, only)
    end
  end)
end

---@param session_id string
---@param checkpoints drawbridge.Checkpoint[]
---@param what? string
---@param only? boolean
local function choose(session_id, checkpoints, what, only)
  local found
  if #checkpoints == 0 then
    say.info("the agent has written nothing in this conversation that could be taken back")
    return
  elseif not what then
    pick(session_id, checkpoints, only)
    return
  elseif what == "all" then
    look(session_id)
    return
  elseif what == "undo" then
    found, only = last_rewind(checkpoints), true
  else
    found = of_turn(checkpoints, what, only)
  end
  if found then
    look(session_id, found, only, what == "undo" and kind_of_undo(checkpoints, found) or nil)
  else
    say.info(what == "undo" and "nothing was rewound yet" or "nothing was written " .. (only and "by " or "since ") .. what)
  end
end

--- Shows what a rewind would do.
---@param what? string A turn, `all` or `undo`; absent: the turn that the cursor is on, else one is chosen.
---@param only? boolean Take back that turn alone; those after it keep what they did.
function M.start(what, only)
  local session_id = client.session()
  if not session_id then
    say.info("there is no conversation whose changes could be taken back")
    return
  end
  what = what and catalogue.id(what) or catalogue.turn_at_cursor()
  client.request("checkpoint/list", { sessionId = session_id }, function(err, result)
    if err then
      say.error("nothing can be taken back: " .. reason(err))
    else
      choose(session_id, result.checkpoints, what, only)
    end
  end)
end

--- What is completed: the turns that changed files, newest first, and the words.
---@return string[]
function M.names()
  local names, seen = {}, {}
  for _, change in ipairs(catalogue.changes()) do
    local turn = catalogue.turn_of(change.sessionId, change.turnId) or change.turnId
    if not seen[turn] then
      seen[turn] = true
      local title = catalogue.title(turn):gsub("%s", "_")
      table.insert(names, title ~= "" and turn .. ":" .. title or turn)
    end
  end
  return vim.list_extend(names, { "all", "undo" })
end

return M
