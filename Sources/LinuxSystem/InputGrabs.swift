internal import CLinux

extension ProcFS {
    /// An input device that these processes have for themselves alone (`EVIOCGRAB`). They keep it.
    package func grabbedInput(of pids: [CInt]) -> String? {
        for table in pids.flatMap(descriptorTables) {
            var owner: PidFD?
            for name in table.descriptors {
                guard let path = FileSystem.linkTarget(table.link(name)), path.hasPrefix("/dev/input/event"),
                    let fd = CInt(name)
                else { continue }
                // Who may not look at it cannot know; a process that is gone has no grab.
                if owner == nil { owner = try? PidFD(table) }
                guard let device = try? owner?.duplicate(fd) else { continue }
                if gr_grabs_input(device.rawValue) != 0 { return path }
            }
        }
        return nil
    }
}
