internal import CLinux

extension ProcFS {
    /// Returns an input device that one of these processes has grabbed (`EVIOCGRAB`). The grab stays.
    package func grabbedInput(of pids: [CInt]) -> String? {
        for table in pids.flatMap(descriptorTables) {
            var owner: PidFD?
            for name in table.descriptors {
                guard let path = FileSystem.linkTarget(table.link(name)), path.hasPrefix("/dev/input/event"),
                    let fd = CInt(name)
                else { continue }
                // A process that has ended has no grab. Without the right to trace a process the daemon cannot see
                // its grabs (`greenroom doctor` reports that).
                if owner == nil { owner = try? PidFD(table) }
                guard let device = try? owner?.duplicate(fd) else { continue }
                if gr_grabs_input(device.rawValue) != 0 { return path }
            }
        }
        return nil
    }
}
