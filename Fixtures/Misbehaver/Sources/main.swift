import Glibc
import UIKit

Remote.listen()
let misdeeds = Misdeed.given
if misdeeds.contains(.ignoreTermination) { ignoreTermination() }
if misdeeds.contains(.shareTooEarly) { _ = UIApplication.shared }
if misdeeds.contains(.neverConnect) { Deed.blockForever() }
exit(unsafe UIApplicationMain(CommandLine.argc, CommandLine.unsafeArgv, nil, NSStringFromClass(AppDelegate.self)))
