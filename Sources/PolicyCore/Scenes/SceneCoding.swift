internal import Model

// The stable form of what effects say of scenes.
extension FieldSink {
    mutating func write(_ scene: SceneCall) {
        write(UInt64(scene.scene.rawValue))
        write(scene.step.rawValue)
        write(UInt64(scene.wish))
    }

    mutating func writeScene(_ reason: Reason) {
        switch reason {
        case .scene(let call):
            write(UInt8(120))
            write(call)
        case .sceneOpened(let name, let scene):
            write(121, name)
            write(UInt64(scene.rawValue))
        case .sceneClosed(let name, let scene):
            write(122, name)
            write(UInt64(scene.rawValue))
        case .sceneWanted(let name, let scene):
            write(123, name)
            write(UInt64(scene.rawValue))
        default: break
        }
    }
}
