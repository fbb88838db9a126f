-- Which program is run: never one that the folder brings, wherever the PATH leads.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local equal, holds = cases.equal, cases.holds

local real = vim.env.DRAWBRIDGE or (vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h:h:h") .. "/bin/drawbridge")

-- A program that leaves a mark when it is run.
local trap = "#!/bin/sh\ntouch \"$HOME/sprung\"\nexit 1\n"

---@param child test.Child
---@return boolean
local function sprung(child)
  return vim.uv.fs_stat(child.home .. "/sprung") ~= nil
end

---@param path string
---@param text string
local function program(path, text)
  vim.fn.mkdir(vim.fs.dirname(path), "p")
  vim.fn.writefile(vim.split(text, "\n"), path)
  vim.uv.fs_chmod(path, 493)
end

-- A child with traps in the folder, and with a PATH that leads there before all else.
---@param path string Entries of the PATH, with FOLDER for the folder.
---@param cmd? string[]
---@return test.Child
local function start(path, cmd)
  local child = child_of.start({ files = { ["src/a.txt"] = "one\n" } })
  for _, name in ipairs({ "drawbridge", "git" }) do
    program(child.folder .. "/" .. name, trap)
    program(child.folder .. "/bin/" .. name, trap)
  end
  vim.uv.fs_symlink(child.folder .. "/bin", child.home .. "/link")
  child:lua(
    [[
    local path, cmd, folder, home = ...
    local options = vim.g.drawbridge
    options.cmd = cmd ~= vim.NIL and cmd or nil
    vim.g.drawbridge = options
    vim.env.PATH = path:gsub("FOLDER", folder):gsub("HOME", home) .. ":" .. vim.env.PATH
  ]],
    path,
    cmd,
    child.folder,
    child.home
  )
  return child
end

local everywhere = ".:bin:./bin::FOLDER:FOLDER/bin:FOLDER/../work/bin:HOME/link"

cases.run({
  {
    "a bridge and a git that the folder brings are not run, by whatever entry of the PATH (F4)",
    function()
      local child = start(everywhere)
      program(child.home .. "/good/drawbridge", "#!/bin/sh\nexec '" .. real .. "' \"$@\"\n")
      child:lua("vim.env.PATH = vim.env.PATH .. ':' .. ...", child.home .. "/good")
      child:ex("edit src/a.txt")
      child:ex("Drawbridge")
      child:wait("the bridge runs", [[require("drawbridge.client").is_ready()]])
      equal(child.home .. "/good/drawbridge", child:lua([[return require("drawbridge.config").command()[1] ]]))
      child:keys("see @a.t")
      child:wait("files are offered", [[#require("drawbridge.mentions").matching("a.t") > 0]])
      child:lua([[vim.cmd("silent checkhealth drawbridge")]])
      local health = table.concat(child:lines(), "\n")
      holds(health:find("git is not run: it lies in the folder", 1, true), health)
      holds(not sprung(child), "nothing of the folder was run")
    end,
  },
  {
    "where there is no other, none is started, and it is said why",
    function()
      local child = start(everywhere)
      child:lua([[vim.env.PATH = vim.env.PATH:gsub(":/.*", ":" .. vim.fn.getcwd() .. "/bin")]])
      child:ex("Drawbridge")
      child:sees("is not run: it lies in the folder")
      holds(not sprung(child), "nothing of the folder was run")
    end,
  },
  {
    "nor one of the folder that Neovim stands in, wherever the file is that is edited",
    function()
      local child = start(".")
      program(child.home .. "/elsewhere/drawbridge", trap)
      child:lua([[vim.cmd.cd(...) vim.env.PATH = ... .. vim.env.PATH:gsub("^%.", "")]], child.home .. "/elsewhere")
      child:ex("edit " .. child.folder .. "/src/a.txt")
      child:ex("Drawbridge")
      child:sees("is not run: it lies in the folder")
      holds(not sprung(child), "nothing of the folder was run")
    end,
  },
  {
    "the option cmd names a program by its whole path or by a name, not by the way from here",
    function()
      for word, want in pairs({ ["bin/drawbridge"] = "named by its whole path", ["drawbridge"] = "is not run" }) do
        local child = start("FOLDER/bin", { word, "serve" })
        child:ex("Drawbridge")
        child:sees("The bridge is not running:")
        local said = child:lua([[return require("drawbridge.client").failure().message]])
        holds(said:find(want, 1, true), said)
        holds(not sprung(child), "nothing of the folder was run")
        child:stop()
        child_of.last = nil
      end
      -- Named so, it is the person's own word.
      local child = start("FOLDER/bin")
      program(child.folder .. "/mine", "#!/bin/sh\nexec '" .. real .. "' \"$@\"\n")
      child:lua("local o = vim.g.drawbridge o.cmd = { ... } vim.g.drawbridge = o", child.folder .. "/mine")
      child:ex("Drawbridge")
      child:wait("the bridge runs", [[require("drawbridge.client").is_ready()]])
    end,
  },
})
