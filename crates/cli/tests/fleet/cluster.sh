# cluster.sh FOLDER: a Slurm controller with the nodes n1 and n2, all on this machine and on the loopback device, with everything in FOLDER, until standard input ends. Lines on standard input: `kill NODE` ends a
# node and what runs there, as a power cut would; `start NODE` starts it again.
set -u
folder=$1
PATH="$PATH:/usr/sbin:/sbin"
umask 022
mkdir "$folder" && cd "$folder" && mkdir state munge && chmod 700 munge || exit 1
# Free ports below those that the system gives to connections, of which other clusters have many.
ports=()
for port in $(seq 20000 29999 | shuf); do
  (: >"/dev/tcp/127.0.0.1/$port") 2>/dev/null || ports+=("$port")
  [ ${#ports[@]} -lt 3 ] || break
done
host=$(hostname -s)
user=$(id -un)
export SLURM_CONF=$folder/slurm.conf

cat >slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$folder/munge.sock
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=300
KillWait=5
SchedulerParameters=sched_interval=2,bf_interval=2
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[1]} CPUs=2 RealMemory=1000 Feature=zen,big
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[2]} CPUs=2 RealMemory=1000 Feature=zen
PartitionName=bench Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
CONF

# The processes whose environment has this line; that of a daemon has SLURM_CONF alone.
having() {
  local process
  for process in /proc/[0-9]*; do
    { tr '\0' '\n' <"$process/environ"; } 2>/dev/null | grep -qxF "$1" && echo "${process#/proc/}"
  done
}
of_us() { having "SLURM_CONF=$folder/slurm.conf"; }

start() { setsid slurmd -D -N "$1" >>"$1.out" 2>&1 </dev/null & echo $! >"$1.pid"; disown; }

pull() {
  local process ours
  kill -9 "$(cat "$1.pid")"
  ours=" $(of_us | tr '\n' ' ') "
  for process in $(having "SLURMD_NODENAME=$1"); do
    [[ $ours == *" $process "* ]] || continue
    # Its step would report its end otherwise.
    parent=$(ps -o ppid= -p "$process" | tr -d ' ')
    case $(ps -o args= -p "${parent:-0}") in slurmstepd*) kill -9 "$parent" ;; esac
    kill -9 "$process"
  done
}

end() {
  exec 2>/dev/null
  scancel --user="$user"
  for _ in $(seq 50); do
    [ -n "$(squeue -h)" ] || break
    sleep 0.1
  done
  kill $(cat n1.pid n2.pid controller.pid)
  for _ in $(seq 50); do
    [ -n "$(of_us | grep -vx -e $$ -e "$BASHPID")" ] || break
    sleep 0.1
  done
  kill -9 $(of_us | grep -vx -e $$ -e "$BASHPID") $(cat munged.pid)
  cd / && rm -rf "$folder"
}
trap end EXIT

head -c 1024 /dev/urandom >munge/key && chmod 400 munge/key
# Its messages are not of this cluster alone: it has no SLURM_CONF to be known by.
env -u SLURM_CONF munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge.sock" \
  --pid-file="$folder/munge/pid" --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" >munge/out 2>&1 </dev/null &
echo $! >munged.pid
for _ in $(seq 300); do [ -S munge.sock ] && break; sleep 0.1; done
setsid slurmctld -D >controller.out 2>&1 </dev/null &
echo $! >controller.pid
start n1
start n2
while read -r order node; do
  case $order in
    kill) pull "$node" ;;
    start) start "$node" ;;
  esac
  : >"done-$order-$node"
done
